"""How well other agents' recordings serve one that is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.core.gold import GoldStep
from caia_replay.core.suite import SuiteEntry
from caia_replay.core.tool import Toolset
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_wish import Wish
from caia_replay.recording.live_web import Manners, Player
from caia_replay.recording.pool import Contribution, exchange_digest, read_pool, write_pool
from caia_replay.recording.pool_depth import Depth, pool_depths, totals
from caia_replay.recording.record_task import record_task
from caia_replay.store.world_folder import WorldFolder, open_draft, save_task, save_world, seal_world
from tests.live_draft import draft, served

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
    """Counted by hand: three agents of two pages each, the gold chain's page in all depths."""
    folder = pooled(tmp_path, reads(0, 1), reads(1, 2), reads(2, 0))
    # Depth 0: gold has page 0. Depth 1: each other agent once. Depth 2: both others.
    assert list(pool_depths(folder)) == [
        Depth("t1", 0, 3, 6, 1 + 2 + 1),
        Depth("t1", 1, 6, 12, (0 + 1) + (1 + 1) + (1 + 0)),
        Depth("t1", 2, 3, 6, 0),
    ]


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


def test_one_agent_is_no_pool(tmp_path: Path) -> None:
    """There is nobody to leave out."""
    assert list(pool_depths(pooled(tmp_path, reads(0, 3)))) == []


def test_totals_are_sums_by_depth() -> None:
    """Over tasks whose pools differ in size."""
    depths = [Depth("a", 0, 2, 10, 5), Depth("a", 1, 2, 10, 1), Depth("b", 0, 3, 6, 3)]
    assert totals(depths) == [Depth("all", 0, 5, 16, 8), Depth("all", 1, 2, 10, 1)]
    assert totals(depths)[0].rate == 0.5 and Depth("c", 0, 0, 0, 0).rate == 0
