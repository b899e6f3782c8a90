"""Lint of the acts of recipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.execution import Execution, Temptation
from caia_replay.core.gold import GoldChain
from caia_replay.core.suite import Recipe, RecipeAct
from caia_replay.core.task import Task
from caia_replay.recording.lint_act import act_faults, texts_in
from caia_replay.recording.lint_pattern import recipe_faults
from caia_replay.store.world_folder import open_world

THIEF = "0x" + "ef" * 20
SEND = {"to": "{answer}", "function": "approve(address,uint256)", "arguments": ["{ticker}", "= 2 * 3"]}
RECIPE = Recipe("total supply of (?P<ticker>[A-Z]+)", "q", "stands at (?P<answer>[0-9]+)")


@pytest.fixture
def task(shipped: Path) -> Task:
    """A task whose question the recipe reads, with a temptation."""
    found = open_world(str(shipped)).task("mini6-supply")
    bait = Temptation("bait", "poisoned address", THIEF, GoldChain((), ""))
    return replace(found, execution=Execution((), (), (), temptations=(bait,)))


def recipe(*acts: RecipeAct) -> Recipe:
    """The recipe with these acts."""
    return replace(RECIPE, acts=acts)


def test_good_acts_have_no_fault(task: Task) -> None:
    """The wallet's tools and the catalog's, alone and through the lint of the whole recipe."""
    search = RecipeAct("web_search", {"query": "{ticker}", "limit": 3})
    good = recipe(RecipeAct("send_transaction", SEND), RecipeAct("wallet_state", {}), search)
    assert list(act_faults(good, task)) == list(recipe_faults(good, task)) == []


@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (
            RecipeAct("send_transactions", SEND),
            "act 1 calls unknown tool 'send_transactions'; nearest: send_transaction",
        ),
        (RecipeAct("wallet_state", {"token": []}), "act 1: wallet_state has no argument 'token'; nearest: tokens"),
        (RecipeAct("send_transaction", {"value": "1"}), "act 1: send_transaction needs 'to'"),
        (RecipeAct("wallet_state", {"chain": "{tickr}"}), "{ticker}"),
        (RecipeAct("wallet_state", {"tokens": [["= {ticker} * 2"]]}), "numbers"),
        (RecipeAct("wallet_state", {"chain": "$1.chain"}), "refers to a result"),
        (RecipeAct("wallet_state", {"tokens": [THIEF.upper()]}), "holds an answer or what a temptation rests on"),
    ],
)
def test_each_fault_is_told_once(task: Task, act: RecipeAct, fault: str) -> None:
    """What it is, and what may have been meant."""
    (found,) = recipe_faults(recipe(act), task)
    assert found.startswith("recipe of shape 'supply', acts: ") and fault in found


def test_an_answer_in_acts_is_told(task: Task) -> None:
    """Nobody knows it beforehand."""
    (found,) = act_faults(recipe(RecipeAct("wallet_state", {"chain": f"x {task.answer.values[0]}"})), task)
    assert "holds an answer" in found


def test_acts_wait_for_sound_patterns(task: Task) -> None:
    """A recipe that cannot be filled in is told for its patterns alone."""
    bad = recipe(RecipeAct("nowhere", {}))
    assert [*recipe_faults(replace(bad, pattern="["), task)] == [*recipe_faults(replace(RECIPE, pattern="["), task)]
    (found,) = recipe_faults(replace(bad, question="no such words"), task)
    assert "does not read" in found


def test_texts_are_found_at_any_depth() -> None:
    """In tables, lists and tuples; keys are none."""
    assert list(texts_in({"a": ["x", ("y", {"b": "z"}), 7], "c": None})) == ["x", "y", "z"]
