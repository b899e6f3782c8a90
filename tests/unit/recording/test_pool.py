"""The log of who asked what while a task was recorded, and how well a pool serves whom it left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.core.gold import GoldStep
from caia_replay.core.suite import SuiteEntry
from caia_replay.core.tool import Served, ToolReply, Toolset, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_wish import Wish
from caia_replay.recording.live_web import Manners, Player
from caia_replay.recording.pool import POOL, Call, Contribution, LoggedToolset, exchange_digest, read_pool, write_pool
from caia_replay.recording.pool_depth import Depth, pool_depths, totals
from caia_replay.recording.record_task import record_task
from caia_replay.store.world_folder import WorldFolder, open_draft, save_task, save_world, seal_world
from tests.live_draft import draft, served

NAMES = st.sampled_from(["gold", "react+gpt-5#1", "text-react+recorded/a#2"])
CALLS = st.builds(Call, st.text(max_size=20), st.text(max_size=50), st.sampled_from([str(one) for one in Served]))
CONTRIBUTIONS = st.builds(
    Contribution,
    NAMES,
    st.lists(CALLS, max_size=3).map(tuple),
    st.lists(st.text(alphabet="0123456789abcdef", max_size=8), max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=10), st.text(max_size=10), max_size=2),
)


@given(st.lists(CONTRIBUTIONS, max_size=5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, made: list[Contribution]) -> None:
    """Law: in the order of first names, the last contribution of each; two writings are equal bytes."""
    place = tmp_path_factory.mktemp("task")
    write_pool(place, made)
    first = (place / POOL).read_bytes()
    read = read_pool(place)
    last = {one.by: one for one in made}
    assert [one.by for one in read] == list(last)
    assert [(one.calls, one.used, dict(one.left_out)) for one in read] == [
        (one.calls, one.used, dict(one.left_out)) for one in last.values()
    ]
    write_pool(place, read)
    assert (place / POOL).read_bytes() == first


@pytest.mark.parametrize(
    "told",
    [
        b"", b"[]", b"{}", b'{"version": 2, "contributions": []}', b'{"version": 1, "contributions": [{}]}',
        b'{"version": 1, "contributions": [{"by": "a\\nb", "calls": [], "used": [], "left_out": {}}]}',
        b'{"version": 1, "contributions": [{"by": "a", "calls": [{"tool": "x"}], "used": [], "left_out": {}}]}',
        b'{"version": 1, "contributions": [{"by": "a", "calls": [], "used": [], "left_out": {"x": 1}}]}',
    ],
)  # fmt: skip
def test_a_broken_log_is_one_line(tmp_path: Path, told: bytes) -> None:
    """Whoever wrote it; that there is none is no fault."""
    assert read_pool(tmp_path) == ()
    (tmp_path / POOL).write_bytes(told)
    with pytest.raises(BadInput, match="no log of a pooled recording"):
        read_pool(tmp_path)


class _Echo:
    def specs(self) -> Sequence[ToolSpec]:
        return []

    def call(self, name: str, arguments: str) -> ToolReply:
        return ToolReply(Served.HIT, {"echo": arguments}, None)


def test_a_logged_toolset_hands_on_and_remembers() -> None:
    """Every call, with the class it was served as, in order."""
    logged = LoggedToolset(_Echo())
    assert logged.call("a", "{}").result == {"echo": "{}"} and logged.specs() == []
    logged.call("b", "not json")
    assert logged.calls == [Call("a", "{}", "HIT"), Call("b", "not json", "HIT")]


PAGES = {f"https://site{number}.example/": (f"Page {number}.", "2025-01-05T00:00:00Z") for number in range(4)}


def reads(*numbers: int) -> Player:
    """A player that reads these pages."""

    def play(tools: Toolset) -> None:
        for number in numbers:
            tools.call("url_fetching", f'{{"url": "https://site{number}.example/"}}')

    return Player(f"reads {'+'.join(map(str, numbers))}", play)


def pooled(tmp_path: Path, *players: Player) -> WorldFolder:
    folder = draft(tmp_path, [GoldStep("url_fetching", {"url": "https://site0.example/"})], "$1.title")
    with served(PAGES) as host_map:
        wish = Wish(folder, folder.task("t1"), "live", "")
        record_task(wish, Manners(Keys({}), pause_s=0.0, host_map=host_map), lambda _: None, players)
    return open_draft(folder.path)


def test_misses_fall_as_recordings_accumulate(tmp_path: Path) -> None:
    """Counted by hand: three agents of two pages each, the gold chain's page in all depths; one agent is no pool."""
    folder = pooled(tmp_path / "a", reads(0, 1), reads(1, 2), reads(2, 0))
    # Depth 0: gold has page 0. Depth 1: each other agent once. Depth 2: both others.
    assert list(pool_depths(folder)) == [
        Depth("t1", 0, 3, 6, 1 + 2 + 1),
        Depth("t1", 1, 6, 12, (0 + 1) + (1 + 1) + (1 + 0)),
        Depth("t1", 2, 3, 6, 0),
    ]
    assert list(pool_depths(pooled(tmp_path / "b", reads(0, 3)))) == []


def test_what_another_task_recorded_is_hidden_too(tmp_path: Path) -> None:
    """Whichever file has what this task's agents used; what only other tasks asked is there at every depth."""
    folder = pooled(tmp_path, reads(0, 1), reads(1, 2), reads(2, 0))
    alone = list(pool_depths(folder))
    own, other = (folder.path / "tasks" / task / "http.json" for task in ("t1", "t2"))
    save_task(folder.path, replace(folder.task("t1"), id="t2"))
    entries = (*folder.suite.entries, SuiteEntry("t2", "2026-11-22"))
    save_world(folder.path, folder.info, replace(folder.suite, entries=entries))
    whole = Cassette.open(own).interactions
    write_cassette(other, whole)
    write_cassette(own, [one for one in whole if "site0" in one.uri])
    seal_world(folder.path)
    assert list(pool_depths(open_draft(folder.path))) == alone
    # The gold chain did not use page 1, and now nobody did.
    forgotten = exchange_digest(next(identity("GET", one.uri) for one in whole if "site1" in one.uri))
    write_pool(own.parent, [without(one, forgotten) for one in read_pool(own.parent)])
    seal_world(folder.path)
    assert [one.misses for one in pool_depths(open_draft(folder.path))] == [0 + 1 + 1, 0 + 0 + 0 + 1 + 1 + 0, 0]


def without(one: Contribution, used: str) -> Contribution:
    """A contribution that does not rest on one exchange."""
    return replace(one, used=tuple(each for each in one.used if each != used))


def test_totals_are_sums_by_depth() -> None:
    """Over tasks whose pools differ in size."""
    depths = [Depth("a", 0, 2, 10, 5), Depth("a", 1, 2, 10, 1), Depth("b", 0, 3, 6, 3)]
    assert totals(depths) == [Depth("all", 0, 5, 16, 8), Depth("all", 1, 2, 10, 1)]
    assert totals(depths)[0].rate == 0.5 and Depth("c", 0, 0, 0, 0).rate == 0
