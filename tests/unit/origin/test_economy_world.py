"""The world of an economy, built whole: solved by its tools, agreed on by its APIs, equal for equal seeds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss
from caia_replay.origin import economy_world
from caia_replay.origin.cross_audit import FEWEST, KINDS
from caia_replay.origin.economy_question import LLAMA, SPOT
from caia_replay.origin.economy_world import EconomyReport, build_economy
from caia_replay.origin.scale import Scale
from caia_replay.recording.lint import lint
from caia_replay.runner.verify import verify_suite
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

SHORT = Scale("short", 12, 1, 1, 4)
SEED = 9


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> EconomyReport:
    """Twelve days of seed 9."""
    return build_economy(tmp_path_factory.mktemp("economy"), SEED, SHORT)


@pytest.fixture(scope="module")
def world(built: EconomyReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as made:
        yield made


def test_it_is_whole_and_two_tools_agree_on_its_facts(built: EconomyReport) -> None:
    """Six tasks are solved by their gold chains, hundreds of facts of every kind agree, and nothing is left to lint."""
    assert [found.solved for found in verify_suite(open_world(str(built.world)))] == [True] * 6
    assert built.audit.total >= FEWEST and set(built.audit.facts) == set(KINDS)
    assert built.audit.served["DERIVED"] > 100 and "MISS" not in built.audit.served
    assert list(lint(built.world)) == []
    root = built.world.parent.parent
    assert sorted(path.name for path in root.glob("[!.]*")) == ["cassettes", "chain_snapshots"]


def test_what_is_the_case_now_was_recorded_at_each_tasks_moment(world: FrozenWorld) -> None:
    """A task's own recordings bear its moment as their Date; the shared ones the story's end."""
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        items = Cassette.open(world.folder.path / "tasks" / name / "moment.json").interactions
        dates = {parsedate_to_datetime(item.headers["date"][0]).timestamp() for item in items}
        assert len(items) > 30 and dates == {task.anchor.timestamp}


def test_no_task_sees_a_later_moment(world: FrozenWorld) -> None:
    """Prices differ between tasks as their moments do; a candle that is not closed yet is a miss, not the future's."""
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


def test_what_nobody_recorded_is_a_miss_with_a_reason(world: FrozenWorld) -> None:
    """An unknown protocol, an unknown symbol and an unknown host are told as not recorded."""
    view = world.task(world.folder.task(world.folder.suite.active()[0]))
    for url in (f"{LLAMA}/protocol/nobody", f"{SPOT}/klines?symbol=NOBODY&interval=1h", "https://api.example/x"):
        with pytest.raises(Miss):
            view.answer(HttpRequest("GET", url))


def test_equal_seeds_give_equal_worlds(built: EconomyReport, tmp_path: Path) -> None:
    """Built a second time beside the captured chains of the first, every recording has the same bytes."""
    place = tmp_path / f".economy-{SEED}-{SHORT.name}" / "chain_snapshots"
    place.mkdir(parents=True)
    for chain in built.chains:
        shutil.copytree(chain.snapshot, place / chain.snapshot.name)
    again = build_economy(tmp_path, SEED, SHORT)
    for path in sorted(built.world.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again.world / path.relative_to(built.world)).read_bytes(), path


def test_a_world_is_never_written_over(built: EconomyReport) -> None:
    """The second build into one folder is refused before anything is told."""
    with pytest.raises(BadInput, match="never written over"):
        build_economy(built.world.parent.parent, SEED, SHORT)
    assert built.world.name == economy_world.WORLD
