from dataclasses import replace
from datetime import date

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.recording.lint import lint
from caia_replay.recording.lint_gold import unplayed_faults
from caia_replay.store.world_folder import open_world, save_task, seal_world
from caia_replay.world.world import FrozenWorld

TASK = "mini6-base-fee-bound"
PAGE = "https://learn.protocolhandbook.example/fees/eip-1559"
OTHER = Interaction("GET", "https://api.example.com/other?apikey=SCRUBBED", b"", {}, 200, "OK", {}, b"{}")


@pytest.fixture
def own(mini):
    """A task whose own cassette has the page its gold chain reads, the search that led there, and something else."""
    world = mini / "cassettes" / "mini-6"
    pages, path = world / "http" / "pages.json", world / "tasks" / TASK / "http.json"
    read = Cassette.open(pages).interactions
    (page,) = [item for item in read if item.uri.endswith(PAGE)]
    write_cassette(pages, [item for item in read if item is not page])
    write_cassette(path, [*Cassette.open(path).interactions, page, OTHER])
    seal_world(world)
    return path


def _faults(path, gold=None, **anchor):
    with FrozenWorld(open_world(str(path.parents[2]))) as world:
        task = world.folder.task(TASK)
        task = replace(task, gold=gold or task.gold, anchor=replace(task.anchor, **anchor))
        found = list(unplayed_faults(world, task, path, 50_000))
        assert world._pool is None, "no node was started"
        return found


def test_a_recording_the_gold_chain_never_asks_for_is_found(own):
    """The page it reads is not told, nor is the search that found it; the other is, by its question."""
    assert _faults(own) == ["gold never asks for it: GET https://api.example.com/other?apikey=SCRUBBED"]
    world = own.parents[2]
    assert [(found.where, found.what[:24]) for found in lint(world)] == [(own, "gold never asks for it: ")]


def test_a_task_with_searches_alone_is_not_played(shipped):
    """What the shipped tasks have of their own costs no play, whatever their chain says."""
    broken = GoldChain((GoldStep("no_such_tool", {}),), "1")
    path = shipped / "tasks" / TASK / "http.json"
    assert len(Cassette.open(path).interactions) == 1 and _faults(path, broken) == []


@pytest.mark.parametrize(
    ("step", "result", "told"),
    [
        (
            GoldStep("url_fetching", {"url": "https://nowhere.example/"}),
            "$1.text",
            "step 1 (url_fetching) was MISS: not",
        ),
        (GoldStep("no_such_tool", {}), "1", "step 1 (no_such_tool) was ERROR"),
        (GoldStep("url_fetching", {"url": PAGE}), "match($1.text, 'nothing like it')", "result: pattern"),
    ],
)
def test_a_chain_that_misses_or_fails_is_found_with_its_reason(own, step, result, told):
    """The reason stands before what was then left unasked."""
    first, *_ = _faults(own, GoldChain((step,), result))
    assert first.startswith(f"gold does not come to an answer: {told}")


def test_a_chain_of_odd_values_ends_in_a_finding(own):
    """A date among the arguments, which no tool's JSON can carry, is told, and the check ends there."""
    dated = GoldChain((GoldStep("url_fetching", {"url": date(2024, 1, 1)}),), "1")
    (found,) = _faults(own, dated)
    assert found.startswith("gold cannot be played: TypeError: ")


def test_a_pattern_too_slow_for_the_pages_is_not_matched(own):
    """It is told instead of being played."""
    slow = GoldChain((GoldStep("url_fetching", {"url": PAGE}),), "match($1.text, '(?:[a-zA-Z ,.]+)+#')")
    assert _faults(own, slow) == ["gold is not played: one of its patterns is too slow for a page of 50000 bytes"]


def test_a_task_that_stands_nowhere_is_told(own):
    """An anchor on no recorded chain or block is a finding here, where replaying it is bad input."""
    for anchor in ({"chain": "other"}, {"block": 10**9}):
        (found,) = _faults(own, **anchor)
        assert found.startswith("gold cannot be played: ")


def test_lint_plays_the_chain_that_is_sealed(own):
    """A chain that was changed to miss is found by the command's own check."""
    world = open_world(str(own.parents[2]))
    task = world.task(TASK)
    save_task(
        world.path, replace(task, gold=GoldChain((GoldStep("url_fetching", {"url": "https://no.example"}),), "1"))
    )
    seal_world(world.path)
    told = [found.what for found in lint(world.path) if found.where == own]
    assert told[0].startswith("gold does not come to an answer: step 1") and len(told) == 3
