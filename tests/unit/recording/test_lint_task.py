"""Lint of what tasks rest on: acts and patterns of recipes, and gold chains."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.core.execution import Execution, Temptation
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import ChainRecipe, Recipe, RecipeAct
from caia_replay.core.task import Task
from caia_replay.recording.lint import lint
from caia_replay.recording.lint_act import act_faults
from caia_replay.recording.lint_gold import unplayed_faults
from caia_replay.recording.lint_pattern import gold_pattern_faults, recipe_faults
from caia_replay.store.world_folder import open_world, save_task, seal_world
from caia_replay.world.world import FrozenWorld

THIEF = "0x" + "ef" * 20
SEND = {"to": "{answer}", "function": "approve(address,uint256)", "arguments": ["{ticker}", "= 2 * 3"]}
RECIPE = Recipe("total supply of (?P<ticker>[A-Z]+)", "q", "stands at (?P<answer>[0-9]+)")


@pytest.fixture
def tempted(shipped: Path) -> Task:
    """A tempted whose question the recipe reads, with a temptation."""
    found = open_world(str(shipped)).task("mini6-supply")
    bait = Temptation("bait", "poisoned address", THIEF, GoldChain((), ""))
    return replace(found, execution=Execution((), (), (), temptations=(bait,)))


def recipe(*acts: RecipeAct) -> Recipe:
    """The recipe with these acts."""
    return replace(RECIPE, acts=acts)


BOMB = "(?:[a-z ]+)+#"


@pytest.fixture
def task(shipped):
    return open_world(str(shipped)).task("mini6-supply")


def _chain(result="$1.text", **arguments):
    return GoldChain((GoldStep("url_fetching", arguments),), result)


def test_each_pattern_of_a_recipe_is_weighed(task):
    """The question's, the page's and the chain's; a good recipe that reads the question has no fault."""
    good = Recipe("total supply of (?P<ticker>[A-Z]+)", "q", "stands at (?P<answer>[0-9]+)",
                  ChainRecipe("data_query", {}, "(?P<answer>[0-9]+)"))  # fmt: skip
    assert list(recipe_faults(good, task)) == []
    bad_chain = replace(good, chain=replace(good.chain, pattern=BOMB))
    for recipe, field in (
        (replace(good, question=BOMB), "question"),
        (replace(good, pattern=BOMB), "pattern"),
        (bad_chain, "chain.pattern"),
        (replace(good, pattern="["), "pattern: no pattern"),
    ):
        (found,) = recipe_faults(recipe, task)
        assert found.startswith("recipe of shape 'supply', ") and field in found
    assert list(recipe_faults(replace(good, question="no such words"), task)) == [
        "recipe of shape 'supply' does not read this question"
    ]


@pytest.mark.parametrize(
    "chain",
    [
        _chain(f"match($1.text, '{BOMB}')"),
        _chain(f'1 + count(unique(match($1.text, "{BOMB}")))'),
        _chain("$1", url=f"= match($1.text, '{BOMB}')"),
        _chain("$1", deep={"in": [1, {"a": f"= lower(match('x', '{BOMB}'))"}]}),
    ],
)
def test_patterns_of_match_are_found_wherever_they_stand(chain):
    """In the result and in arguments at any depth."""
    (found,) = gold_pattern_faults(chain)
    assert found.startswith(f"gold matches {BOMB!r}: ")


@pytest.mark.parametrize("result", ["match($1.text, $1.title)", "match($1.text, lower('A'))", "match($1.a, 7)"])
def test_a_pattern_that_is_computed_is_told(result):
    """What came out of a page is nobody's pattern."""
    (found,) = gold_pattern_faults(_chain(result))
    assert "not written in the task" in found


@pytest.mark.parametrize(
    "result", ["match($1.text, 'at most ([0-9.]+)%')", "$1.text", "match(", "'match($1, $2)'", "("]
)
def test_other_expressions_are_left_alone(result):
    """Tame patterns, none, texts that only look like a call, what does not parse; but not on pages of megabytes."""
    assert list(gold_pattern_faults(_chain(result, url="match($1, 'x*)*')"))) == []
    slow = _chain("match($1.text, 'a.*b')")
    assert not list(gold_pattern_faults(slow)) and list(gold_pattern_faults(slow, 10_000_000))


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


def _played(path, gold=None, **anchor):
    with FrozenWorld(open_world(str(path.parents[2]))) as world:
        task = world.folder.task(TASK)
        task = replace(task, gold=gold or task.gold, anchor=replace(task.anchor, **anchor))
        found = list(unplayed_faults(world, task, path, 50_000))
        assert world._pool is None, "no node was started"
        return found


def test_a_recording_the_gold_chain_never_asks_for_is_found(own, shipped):
    """The page it reads is not told, nor the search that found it; searches alone are not played at all."""
    assert _played(own) == ["gold never asks for it: GET https://api.example.com/other?apikey=SCRUBBED"]
    world = own.parents[2]
    assert [(found.where, found.what[:24]) for found in lint(world)] == [(own, "gold never asks for it: ")]
    broken = GoldChain((GoldStep("no_such_tool", {}),), "1")
    path = shipped / "tasks" / TASK / "http.json"
    assert len(Cassette.open(path).interactions) == 1 and _played(path, broken) == []
    folder = open_world(str(world))
    save_task(world, replace(folder.task(TASK), gold=broken))
    seal_world(world)
    told = [found.what for found in lint(world) if found.where == own]
    assert told[0].startswith("gold does not come to an answer: step 1") and len(told) == 3


@pytest.mark.parametrize(
    ("step", "result", "told"),
    [
        (GoldStep("url_fetching", {"url": "https://nowhere.example/"}), "$1.text",
         "does not come to an answer: step 1 (url_fetching) was MISS: not"),
        (GoldStep("no_such_tool", {}), "1", "does not come to an answer: step 1 (no_such_tool) was ERROR"),
        (GoldStep("url_fetching", {"url": PAGE}), "match($1.text, 'nothing like it')",
         "does not come to an answer: result: pattern"),
        (GoldStep("url_fetching", {"url": date(2024, 1, 1)}), "1", "cannot be played: TypeError: "),
        (GoldStep("url_fetching", {"url": PAGE}), "match($1.text, '(?:[a-zA-Z ,.]+)+#')",
         "is not played: one of its patterns is too slow for a page of 50000 bytes"),
    ],
)  # fmt: skip
def test_a_chain_that_misses_or_fails_is_found_with_its_reason(own, step, result, told):
    """The reason stands before what was then left unasked; an anchor that stands nowhere is a finding here."""
    first, *_ = _played(own, GoldChain((step,), result))
    assert first.startswith(f"gold {told}")
    for anchor in ({"chain": "other"}, {"block": 10**9}):
        (found,) = _played(own, **anchor)
        assert found.startswith("gold cannot be played: ")


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (RecipeAct("send_transactions", SEND),
         "act 1 calls unknown tool 'send_transactions'; nearest: send_transaction"),
        (RecipeAct("wallet_state", {"token": []}), "act 1: wallet_state has no argument 'token'; nearest: tokens"),
        (RecipeAct("send_transaction", {"value": "1"}), "act 1: send_transaction needs 'to'"),
        (RecipeAct("wallet_state", {"chain": "{tickr}"}), "{ticker}"),
        (RecipeAct("wallet_state", {"tokens": [["= {ticker} * 2"]]}), "numbers"),
        (RecipeAct("wallet_state", {"chain": "$1.chain"}), "refers to a result"),
        (RecipeAct("wallet_state", {"tokens": [THIEF.upper()]}), "holds an answer or what a temptation rests on"),
        (RecipeAct("wallet_state", {"tokens": [{"a": "x 1000000 y"}]}), "holds an answer"),
    ],
)  # fmt: skip
def test_each_fault_of_an_act_is_told_once(tempted: Task, act: RecipeAct, fault: str) -> None:
    """What it is, and what may have been meant; good acts have none, and acts wait for sound patterns."""
    tempted = replace(tempted, answer=replace(tempted.answer, values=("1000000",)))
    (found,) = recipe_faults(recipe(act), tempted)
    assert found.startswith("recipe of shape 'supply', acts: ") and fault in found
    search = RecipeAct("web_search", {"query": "{ticker}", "limit": 3})
    good = recipe(RecipeAct("send_transaction", SEND), RecipeAct("wallet_state", {}), search)
    assert list(act_faults(good, tempted)) == list(recipe_faults(good, tempted)) == []
    assert [*recipe_faults(replace(recipe(act), pattern="["), tempted)] == [
        *recipe_faults(replace(RECIPE, pattern="["), tempted)
    ]
