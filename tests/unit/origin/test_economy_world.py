"""The world of an economy, built whole: solved by its tools, agreed on by its APIs; nobody sees what comes later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss
from caia_replay.origin.build import chain_names
from caia_replay.origin.cross_audit import FEWEST, KINDS
from caia_replay.origin.economy import economy, tell
from caia_replay.origin.economy_question import ETHERSCAN, SPOT, token_questions
from caia_replay.origin.economy_record import record_economy
from caia_replay.origin.economy_world import EconomyReport, build_economy
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.page_audit import _LOOKUPS
from caia_replay.origin.page_audit import FEWEST as FEWEST_ON_PAGES
from caia_replay.origin.scale import SCALES
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.service import Asked
from caia_replay.origin.web.web import Web
from caia_replay.recording.lint import lint
from caia_replay.runner.verify import verify_suite
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
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
    assert any(decoy.answer for offer in offers.values() for decoy in offer.decoys)
    assert built.audit.total >= FEWEST and set(built.audit.facts) == set(KINDS)
    assert built.audit.served["DERIVED"] > 100 and "MISS" not in built.audit.served
    assert list(lint(built.world)) == []
    root = built.world.parent.parent
    assert sorted(path.name for path in root.glob("[!.]*")) == ["cassettes", "chain_snapshots"]


def test_pages_and_tools_agree(short_economy: ShortEconomy) -> None:
    """Hundreds of facts on pages were looked up, of every kind; the web is what the writers wrote."""
    stated, written = short_economy.report.page_audit, short_economy.report.web
    assert stated.total >= FEWEST_ON_PAGES and set(stated.facts) == set(_LOOKUPS)
    assert written.pages == len(short_economy.pages) and written.posts > 50


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


def test_no_task_sees_a_later_moment(world: FrozenWorld) -> None:
    """Prices differ as moments do; a candle that is not closed yet is a miss, not the future's."""
    prices = set()
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        view = world.task(task)
        reply, served = view.answer(HttpRequest("GET", f"{SPOT}/ticker/price"))
        assert served is Served.HIT
        prices.add(reply.body)
        symbol = "symbol=" + reply.body.decode().partition('"symbol":"')[2].partition('"')[0]
        end = (task.anchor.timestamp // 3_600 + 2) * 3_600_000
        with pytest.raises(Miss):
            url = f"{SPOT}/klines?{symbol}&interval=1h&startTime={end - 9 * 3_600_000}&endTime={end}"
            view.answer(HttpRequest("GET", url))
    hours = {world.folder.task(name).anchor.timestamp // 3_600 for name in world.folder.suite.active()}
    assert len(prices) >= len(hours) > 2


def test_movements_of_every_token_are_told_as_the_living_explorer_tells_them(world: FrozenWorld) -> None:
    """Of each token of each task's chain, over ranges of blocks and in both orders: from tables, and never a miss."""
    with economy(SEED, SHORT) as scene:
        tell(scene)
        living = Etherscan((scene.main, scene.rollup), MarketBook(scene))
        names = chain_names(scene)
        rows = served = 0
        for task in map(world.folder.task, world.folder.suite.active()):
            view, block = world.task(task), task.anchor.block
            stage = (scene.main, scene.rollup)[names.index(task.anchor.chain)]
            for request in token_questions(scene):
                fields = dict(parse_qsl(urlsplit(request.url).query))
                if fields["chainid"] != str(stage.chain_id):
                    continue
                for first, last, sort in ((0, block, "asc"), (block // 3, block - 1, "desc")):
                    asked = {name: fields[name] for name in ("chainid", "module", "action", "contractaddress")}
                    asked |= {"startblock": str(first), "endblock": str(last), "sort": sort}
                    reply, how = view.answer(HttpRequest("GET", f"{ETHERSCAN}?{urlencode(asked)}"))
                    told = living.answer(Asked("GET", "/v2/api", asked), task.anchor.timestamp)
                    assert strict_json(reply.body) == told.content, asked
                    rows += len(told.content["result"])
                    served += how is Served.DERIVED
        assert rows > 1_000 and served > 200


def test_what_is_carried_out_is_never_written_over_either(tmp_path: Path) -> None:
    """At full scale its folder is built, too, and refused where it is there, before anything is told."""
    (tmp_path / "cassettes" / "synthetic-execution").mkdir(parents=True)
    with pytest.raises(BadInput, match="never written over") as fault:
        build_economy(tmp_path, SEED, SCALES["full"])
    assert str(fault.value.where).endswith("synthetic-execution")


def test_a_world_is_never_written_over(built: EconomyReport) -> None:
    """The second build into one folder is refused before anything is told."""
    with pytest.raises(BadInput, match="never written over"):
        build_economy(built.world.parent.parent, SEED, SHORT)


class Interrupted(Exception):
    """The maker went home."""


class Unread(dict[str, Sequence[int]]):
    """Heights at which a build is stopped before it asks anything."""

    def __getitem__(self, stage: str) -> Sequence[int]:
        raise Interrupted


def test_nothing_is_kept_of_a_stopped_build(short_economy: ShortEconomy, tmp_path: Path) -> None:
    """What lay where the recordings go is gone before anything is asked."""
    left = tmp_path / "world" / "http" / "now.json"
    left.parent.mkdir(parents=True)
    left.write_text("{}", "utf-8")
    with pytest.raises(Interrupted):
        record_economy(short_economy.truth, Web((), ()), tmp_path / "world", Unread(), lambda *_: None)
    assert not (tmp_path / "world").exists()
