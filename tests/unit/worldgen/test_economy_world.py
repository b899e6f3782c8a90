"""The economy as a whole: the same for a seed, never written over, solved by its tools; no task sees what is later."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.validation.lint import lint
from caia_replay.validation.verify import verify_suite
from caia_replay.world.world import FrozenWorld
from caia_worldgen import build
from caia_worldgen.build import ChainReport, build_chains
from caia_worldgen.calendar import DAY_S, Scale
from caia_worldgen.cross_audit import FEWEST, KINDS
from caia_worldgen.economy import MAIN_CHAIN_ID, ROLLUP_CHAIN_ID, economy, tell
from caia_worldgen.economy_question import COINGECKO, LLAMA_DATASETS, SPOT, symbol_of
from caia_worldgen.economy_world import EconomyReport, build_economy
from caia_worldgen.services.binance_spot import BinanceSpot
from tests.provider_law import live
from tests.short_economy import SEED, SHORT, ShortEconomy

pytestmark = pytest.mark.check


@pytest.fixture(scope="module")
def built(short_economy: ShortEconomy) -> EconomyReport:
    """Forty-eight days of seed 9."""
    return short_economy.report


@pytest.fixture(scope="module")
def world(built: EconomyReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as made:
        yield made


def test_it_is_whole_and_two_tools_agree_on_its_facts(built: EconomyReport) -> None:
    """All tasks are solved by their gold chains, hundreds of facts of every kind agree."""
    folder = open_world(str(built.world))
    assert [found.solved for found in verify_suite(folder)] == [True] * SHORT.tasks
    assert (folder.path.name, folder.info.seed) == (f"synthetic-{SHORT.tasks}", SEED)
    offers = read_targets(folder.path)
    assert sorted(offers) == sorted(folder.suite.active())
    assert any(offer.once for offer in offers.values()) and any(offer.misread for offer in offers.values())
    assert any(offer.decoys for offer in offers.values()) and any(offer.options for offer in offers.values())
    assert built.audit.total >= FEWEST and set(built.audit.facts) == set(KINDS)
    assert built.audit.served["DERIVED"] > 100 and "MISS" not in built.audit.served
    assert list(lint(built.world)) == []
    root = built.world.parent.parent
    assert sorted(path.name for path in root.glob("[!.]*")) == ["cassettes", "chain_snapshots"]


def test_no_task_sees_a_page_or_post_of_later(world: FrozenWorld) -> None:
    """Lists, searches and the reader show what was known by the task's moment; what came later is a miss."""
    hidden = 0
    for name in world.folder.suite.active():
        view = world.task(world.folder.task(name))
        now = view.anchor.timestamp
        shown = view.pages()
        assert shown and all(page.known_since is not None and page.known_since <= now for page in shown)
        assert all(post.created <= now for post in view.posts())
        found = view.search("supply price block", 100) + view.search("总供应量", 100)
        assert found and {hit.page.url for hit in found} <= {page.url for page in shown}
        assert all(hit.post.created <= now for hit in view.search_posts("价格", 100))
        later = sorted({page.url for page in world.corpus} - {page.url for page in shown})
        hidden += len(later)
        for url in later[::25]:
            with pytest.raises(Miss):
                view.page(url)
        for post in [post for post in world.posts if post.created > now][::25]:
            with pytest.raises(Miss):
                view.post(post.id)
    assert hidden > 100


def test_no_task_sees_a_later_moment(world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Prices differ as moments do; closed candles are the venue's, and the open one is told as far as it goes."""
    prices, venue = set(), BinanceSpot(short_economy.truth.book)
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        view, now = world.task(task), task.anchor.timestamp
        reply, served = view.answer(HttpRequest("GET", f"{SPOT}/ticker/price"))
        assert served is Served.HIT
        prices.add(reply.body)
        symbol = "symbol=" + reply.body.decode().partition('"symbol":"')[2].partition('"')[0]
        end = (now // 3_600 + 2) * 3_600_000
        asked = HttpRequest("GET", f"{SPOT}/klines?{symbol}&interval=1h&startTime={end - 9 * 3_600_000}&endTime={end}")
        rows, told = (json.loads(body) for body in (view.answer(asked)[0].body, live(venue, asked, now).body))
        assert rows[:-1] == told[:-1] and rows[-1][0] == now // 3_600 * 3_600_000
        assert rows[-1][8] <= told[-1][8]
    hours = {world.folder.task(name).anchor.timestamp // 3_600 for name in world.folder.suite.active()}
    assert len(prices) >= len(hours) > 2


def test_ordinary_calls_are_answered_for_everything_that_is_listed(
    world: FrozenWorld, short_economy: ShortEconomy
) -> None:
    """Last candles, charts of days, calendars or that there is none, pages of the largest coins, sites' front pages."""
    book, tasks = short_economy.truth.book, [world.folder.task(name) for name in world.folder.suite.active()]
    for task in tasks[::9]:
        view, now = world.task(task), task.anchor.timestamp
        coins = [coin for coin in book.listed(now - 3 * DAY_S) if coin.listed_at <= now - 3 * DAY_S]
        urls = [f"{LLAMA_DATASETS}/emissions/{coin.id}" for coin in coins]
        for symbol in (symbol_of(book, coin) for coin in coins if coin.traded):
            urls += [f"{SPOT}/klines?symbol={symbol}&interval={name}&limit=100" for name in ("1h", "4h", "1d", "1w")]
        for page in (f"{COINGECKO}/coins/{coin.id}" for coin in coins):
            urls += [f"{page}/market_chart?vs_currency=usd&days={days}" for days in (7, 30, 90, 365)]
        for page in (f"{COINGECKO}/coins/{coin.id}" for coin in coins if coin.listed_at <= now - 31 * DAY_S):
            urls += [f"{page}/ohlc?vs_currency=usd&days={days}" for days in (7, 30)]
        usual = "localization=false&tickers=false&community_data=false&developer_data=false"
        largest = [f"{COINGECKO}/coins/{coin.id}" for coin in book.ranking(now)[:3]]
        urls += [url + more for url in largest for more in ("", f"?{usual}")]
        urls.append(f"{largest[0]}/market_chart?vs_currency=usd&days=1")
        assert {view.answer(HttpRequest("GET", url))[1] for url in urls} <= {Served.HIT, Served.DERIVED}
        # A front page has no date, and is known from the sweep after its site's first page.
        known = [page.url for page in view.pages() if (page.known_since or now) <= now - 7 * DAY_S]
        for site in {"/".join(url.split("/")[:3]) for url in known}:
            assert view.page(f"{site}/").text


def test_a_world_is_never_written_over(built: EconomyReport) -> None:
    """The second build into one folder is refused before anything is told."""
    with pytest.raises(BadInput, match="never written over"):
        build_economy(built.world.parent.parent, SEED, SHORT)


BRIEF = Scale("short", 12, 2, 1, 4)


def played(seed: int) -> dict[str, Any]:
    """Everything of a short economy that another seed must not have, and its last blocks."""
    with economy(seed, BRIEF) as scene:
        tell(scene)
        heads = [stage.ask("eth_getBlockByNumber", "latest", False)["hash"] for stage in (scene.main, scene.rollup)]
        return {
            "heads": heads,
            "addresses": {contract.address for contract in scene.main.contracts.values()}
            | {person.address for person in scene.people.crowd},
            "names": {project.name for project in scene.projects.values()},
            "tickers": {project.ticker for project in scene.projects.values()},
            "figures": {one.amount for one in scene.main.ledger.movements if len(str(one.amount).rstrip("0")) > 3}
            | {price for asset in scene.venue.assets for price in scene.venue.hourly(asset)[:1]},
            "ids": {MAIN_CHAIN_ID + seed, ROLLUP_CHAIN_ID + seed},
        }


def test_two_seeds_share_nothing() -> None:
    """No address, name, ticker, chain id or figure of one is in the other; 7 coins and 120 coins are nobody's."""
    first, other = played(3), played(4)
    for kind in ("addresses", "names", "tickers", "ids"):
        assert not first[kind] & other[kind], kind
    shared = first["figures"] & other["figures"]
    assert not shared, sorted(shared)[:5]
    assert first["heads"] != other["heads"]


TINY = Scale("tiny", 12, 2, 1, 4)
TINY_SEED = 11


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[ChainReport, ...]]:
    """A tiny world's chains and what was said of them."""
    out = tmp_path_factory.mktemp("economy")
    steps: list[tuple[str, int, int]] = []
    reports = build_chains(out, TINY_SEED, TINY, lambda *step: steps.append(step))
    told = [step for step in steps if step[0] == "telling the story"]
    assert [done for _, done, _ in told] == list(range(told[-1][2] - 35, told[-1][2] + 1))
    return out, reports


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_both_chains_are_whole_snapshots(chains: tuple[Path, tuple[ChainReport, ...]]) -> None:
    """Each opens, claims its state at every height, and says what it holds; nothing else is left in the folder."""
    out, reports = chains
    assert [path.name for path in out.iterdir()] == ["chain_snapshots"]
    assert sorted(path.name for path in (out / "chain_snapshots").iterdir()) == sorted(
        report.snapshot.name for report in reports
    )
    for report, ordinary in zip(reports, (24, 12), strict=True):
        snapshot = Snapshot.open(report.snapshot)
        assert snapshot.heights == ((0, report.blocks - 1),) and report.blocks > ordinary
        claimed = json.loads((report.snapshot / "manifest.json").read_bytes())["complete"]
        whole = {claim["table"] for claim in claimed if set(claim) <= {"table", "from", "to"}}
        assert whole == {"blocks", "transactions", "receipts", "logs", "accounts", "storage"}, claimed
        assert report.size_bytes == sum(len(data) for data in content(report.snapshot).values())
    assert reports[0].movements > 100 and reports[0].facts == build.FACTS


def test_a_seed_gives_the_same_bytes_also_when_taken_up_again(
    chains: tuple[Path, tuple[ChainReport, ...]], tmp_path: Path
) -> None:
    """A build stopped after its main chain captures only what is missing, and ends in the same files."""
    out, reports = chains
    main = reports[0].snapshot
    workshop = tmp_path / f".economy-{TINY_SEED}-{TINY.name}" / "chain_snapshots"
    workshop.mkdir(parents=True)
    shutil.copytree(main, workshop / main.name)
    (workshop / ".torn.unfinished").mkdir()
    kept = (workshop / main.name / "manifest.json").stat().st_ino
    build_chains(tmp_path, TINY_SEED, TINY)
    assert content(tmp_path / "chain_snapshots") == content(out / "chain_snapshots")
    assert (tmp_path / "chain_snapshots" / main.name / "manifest.json").stat().st_ino == kept


def test_nothing_is_written_over_and_two_builds_do_not_meet(
    chains: tuple[Path, tuple[ChainReport, ...]], tmp_path: Path
) -> None:
    """A finished snapshot, and a workshop somebody is in, are refused before anything is told."""
    out, _ = chains
    with pytest.raises(BadInput, match="never written over"):
        build_chains(out, TINY_SEED, TINY)
    assert [path.name for path in out.iterdir()] == ["chain_snapshots"]
    workshop = tmp_path / f".economy-{TINY_SEED}-{TINY.name}"
    workshop.mkdir()
    held = os.open(workshop, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(BadInput, match="another build is at work"):
            build_chains(tmp_path, TINY_SEED, TINY)
    finally:
        os.close(held)
