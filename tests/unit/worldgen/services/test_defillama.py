"""The index of the small economy: who answers what, histories that end at now, and real shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.scene import Scene
from caia_worldgen.services.defillama import API, COINS, DATASETS, PRO, CoinPages, DefiLlamaService, origin_of
from caia_worldgen.services.defillama_flow import TvlPages
from caia_worldgen.services.defillama_form import usd
from caia_worldgen.services.service import Asked
from tests.defillama_real import real_recordings

pytestmark = pytest.mark.check


@pytest.fixture(scope="module")
def service(scene: Scene, book: MarketBook) -> DefiLlamaService:
    """The index of the small economy."""
    return DefiLlamaService(Metrics(scene, book))


def status(service: DefiLlamaService, origin: str, path: str, now: int) -> int:
    return service.answer(Asked("GET", path, {}, origin=origin), now).status


def test_every_page_is_found_by_its_host_or_by_its_path(scene: Scene, service: DefiLlamaService) -> None:
    """Each host has its own pages; asked by another name, the path says whose it is."""
    now, network = scene.main.calendar.midnight(50) + 9, scene.networks["main"].id
    slug, unlock = scene.projects["exchange"].id, scene.projects["lend"].id
    pages = {
        API: ("/protocols", f"/protocol/{slug}", f"/tvl/{slug}", "/v2/chains", "/charts", f"/charts/{network}",
              "/v2/historicalChainTvl", f"/v2/historicalChainTvl/{network}",
              "/overview/dexs", f"/overview/fees/{network}",
              f"/summary/dexs/{slug}", "/overview/open-interest"),
        COINS: (f"/prices/current/coingecko:{network}", f"/prices/historical/{now - 5}/coingecko:{network}",
                "/prices/first/a:b", f"/chart/coingecko:{network}", "/percentage/a:b", f"/block/{network}/{now - 5}"),
        DATASETS: (f"/emissions/{unlock}",),
        PRO: ("/SCRUBBED/api/emissions", f"/SCRUBBED/api/emission/{unlock}", "/SCRUBBED/api/activeUsers",
              "/SCRUBBED/api/userData/users/1", "/SCRUBBED/api/protocols", "/SCRUBBED/coins/prices/first/a:b"),
    }  # fmt: skip
    for origin, paths in pages.items():
        for path in paths:
            assert status(service, origin, path, now) == status(service, "https://127.0.0.1:1", path, now) == 200, path
            assert origin_of(Asked("GET", path, {}).segments()) == origin
    assert status(service, COINS, "/protocols", now) == status(service, API, "/block/a/1", now) == 404
    assert status(service, API, "/nothing", now) == status(service, DATASETS, "/emissions", now) == 404
    assert service.answer(Asked("POST", "/protocols", {}, origin=API), now).status == 404


def test_what_is_paid_for_is_refused_without_a_key(scene: Scene, service: DefiLlamaService) -> None:
    """Emissions and users are refused with 402 where no key is in the path; too many requests are a 429."""
    now = scene.main.calendar.midnight(50)
    for origin, path in ((API, "/emissions"), (API, "/emission/a"), (API, "/activeUsers"), (PRO, "/api/emissions")):
        answer = service.answer(Asked("GET", path, {}, origin=origin), now)
        assert answer.status == 402 and "paid API plan" in answer.content["message"]
    busy = service.busy(Asked("GET", "/protocols", {}))
    assert busy.status == 429 and busy.headers["Retry-After"] == "10"


DAY = 86_400


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


@pytest.fixture(scope="module")
def pages(metrics: Metrics) -> CoinPages:
    """The pages about prices."""
    return CoinPages(metrics)


API_DEFILLAMA_TVL = "https://api.llama.fi"


@pytest.fixture(scope="module")
def locked(metrics: Metrics) -> TvlPages:
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


def test_a_history_is_midnights_and_now(metrics: Metrics, locked: TvlPages) -> None:
    """Each point is the state of its own moment; the last is now; parts add up to what the list says."""
    now = metrics.first_midnight + 30 * DAY + 12_345
    rows = {row["slug"]: row for row in locked.protocols(now).content}
    assert [row["tvl"] for row in rows.values()] == sorted((row["tvl"] for row in rows.values()), reverse=True)
    for one in metrics.protocols:
        content = locked.protocol(one.slug, now).content
        dates = [point["date"] for point in content["tvl"]]
        assert dates == [*range(metrics.first_midnight + DAY, now, DAY), now]
        for point in content["tvl"][::7]:
            assert point["totalLiquidityUSD"] == usd(metrics.tvl.value_e8(one, point["date"]))
        assert content["tvl"][-1]["totalLiquidityUSD"] == rows[one.slug]["tvl"] == locked.current(one.slug, now).content
        assert content["currentChainTvls"] == rows[one.slug]["chainTvls"]
        assert abs(sum(content["tokensInUsd"][-1]["tokens"].values()) - rows[one.slug]["tvl"]) < 0.01


@pytest.mark.real
def test_pages_have_the_real_ones_keys_and_types(real_data: Path, metrics: Metrics, locked: TvlPages) -> None:
    """The list, a protocol with its points and the old chart are shaped as the vendor's own."""
    real, now = real_recordings(real_data), metrics.first_midnight + 60 * DAY + 5
    bodies = [(one.request.url, json.loads(one.reply.body)) for one in real]
    listed = [row for url, body in bodies if url == f"{API_DEFILLAMA_TVL}/protocols" for row in body]
    fits(locked.protocols(now).content, listed)
    whole = [body for url, body in bodies if url.startswith(f"{API_DEFILLAMA_TVL}/protocol/")]
    ours = [locked.protocol(one.slug, now).content for one in metrics.protocols]
    # the protocol that was recorded has a token and an account everywhere, which others in the list lack; mcap is newer
    fits(ours, whole, kinds(listed), {"mcap": {"number", "NoneType"}})
    for key in ("tvl", "tokens", "tokensInUsd"):
        fits([point for one in ours for point in one[key]], [point for one in whole for point in one[key]])
        chains = [[part[key] for one in some for part in one["chainTvls"].values()] for some in (ours, whole)]
        fits(*([point for part in some for point in part] for some in chains))
    old = next(body for url, body in bodies if url == f"{API_DEFILLAMA_TVL}/charts")
    fits(locked.chain_history("", now, legacy=True).content, old)
