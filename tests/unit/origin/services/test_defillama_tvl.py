import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama_form import usd
from caia_replay.origin.services.defillama_tvl import TvlPages
from tests.defillama_real import real_recordings

DAY = 86_400
API = "https://api.llama.fi"


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


@pytest.fixture(scope="module")
def pages(metrics: Metrics) -> TvlPages:
    """The pages about what is locked."""
    return TvlPages(metrics)


def kinds(rows: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Key -> the JSON types it has; whole numbers and fractions are one type."""
    found: dict[str, set[str]] = {}
    for row in rows:
        for key, value in row.items():
            found.setdefault(key, set()).add("number" if type(value) in (int, float) else type(value).__name__)
    return found


def fits(ours: list[dict[str, Any]], real: list[dict[str, Any]], *wider: dict[str, set[str]]) -> None:
    """Each of our rows has every key that all real rows have, and only keys and types that some real row has.

    ``wider`` are types known from other samples of the same fields.
    """
    always, told, known = set.intersection(*(set(row) for row in real)), kinds(ours), kinds(real)
    for more in wider:
        known = {key: known.get(key, set()) | more.get(key, set()) for key in known.keys() | more.keys()}
    assert all(always <= set(row) for row in ours), [sorted(always - set(row)) for row in ours][:1]
    assert {key: names for key, names in told.items() if not names <= known.get(key, set())} == {}


def test_a_history_is_midnights_and_now(metrics: Metrics, pages: TvlPages) -> None:
    """Each point is the state of its own moment; the last is now; parts add up to what the list says."""
    now = metrics.first_midnight + 30 * DAY + 12_345
    rows = {row["slug"]: row for row in pages.protocols(now).content}
    assert [row["tvl"] for row in rows.values()] == sorted((row["tvl"] for row in rows.values()), reverse=True)
    for one in metrics.protocols:
        content = pages.protocol(one.slug, now).content
        dates = [point["date"] for point in content["tvl"]]
        assert dates == [*range(metrics.first_midnight + DAY, now, DAY), now]
        for point in content["tvl"][::7]:
            assert point["totalLiquidityUSD"] == usd(metrics.tvl.value_e8(one, point["date"]))
        assert content["tvl"][-1]["totalLiquidityUSD"] == rows[one.slug]["tvl"] == pages.current(one.slug, now).content
        assert content["currentChainTvls"] == rows[one.slug]["chainTvls"]
        assert abs(sum(content["tokensInUsd"][-1]["tokens"].values()) - rows[one.slug]["tvl"]) < 0.01


def test_chains_and_their_histories_agree(metrics: Metrics, pages: TvlPages) -> None:
    """A history ends with today's midnight, both spellings of it say the same, and an unknown name is refused."""
    now = metrics.first_midnight + 30 * DAY + 12_345
    history, legacy = (pages.chain_history("", now, legacy=old).content for old in (False, True))
    assert [(str(one["date"]), one["tvl"]) for one in history] == [
        (one["date"], one["totalLiquidityUSD"]) for one in legacy
    ]
    assert history[-1]["date"] == now // DAY * DAY
    parts = [pages.chain_history(network.name, now).content[-1]["tvl"] for network in metrics.scene.networks.values()]
    assert abs(sum(parts) - history[-1]["tvl"]) < 0.01
    assert [one["name"] for one in pages.chains(now).content] == [one.name for one in metrics.scene.networks.values()]
    assert pages.chain_history("nowhere", now).status == pages.protocol("nobody", now).status == 400
    assert pages.current("nobody", now).content == {"message": "Protocol not found"}


def test_nothing_after_now_is_told(metrics: Metrics, pages: TvlPages) -> None:
    """The history at an earlier moment is the beginning of a later one; on the first day there is none."""
    early, late = (metrics.first_midnight + days * DAY for days in (20, 40))
    assert pages.chain_history("", late).content[:20] == pages.chain_history("", early).content
    assert pages.chain_history("", metrics.first_midnight + 80_000).content == []


@pytest.mark.real
def test_pages_have_the_real_ones_keys_and_types(real_data: Path, metrics: Metrics, pages: TvlPages) -> None:
    """The list, a protocol with its points and the old chart are shaped as the vendor's own."""
    real, now = real_recordings(real_data), metrics.first_midnight + 60 * DAY + 5
    bodies = [(one.request.url, json.loads(one.reply.body)) for one in real]
    listed = [row for url, body in bodies if url == f"{API}/protocols" for row in body]
    fits(pages.protocols(now).content, listed)
    whole = [body for url, body in bodies if url.startswith(f"{API}/protocol/")]
    ours = [pages.protocol(one.slug, now).content for one in metrics.protocols]
    # the protocol that was recorded has a token and an account everywhere, which others in the list lack; mcap is newer
    fits(ours, whole, kinds(listed), {"mcap": {"number", "NoneType"}})
    for key in ("tvl", "tokens", "tokensInUsd"):
        fits([point for one in ours for point in one[key]], [point for one in whole for point in one[key]])
        chains = [[part[key] for one in some for part in one["chainTvls"].values()] for some in (ours, whole)]
        fits(*([point for part in some for point in part] for some in chains))
    old = next(body for url, body in bodies if url == f"{API}/charts")
    fits(pages.chain_history("", now, legacy=True).content, old)
