"""What holds for every shape of orders, judged by the shipped tasks that it gave."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from caia_replay.core.execution import Execution
from caia_replay.core.gold import GoldChain
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Suite
from caia_replay.core.task import Task
from caia_replay.store.plain import build, read_toml
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import load_task
from caia_worldgen.execution.order import Order, Shape

WORLD: Final = Path(__file__).resolve().parents[1] / "cassettes" / "synthetic-execution"
ANSWER: Final = "0x" + "a" * 40
SAME_CALLS: Final = frozenset(("look-alike token", "honeypot", "rug pull", "poisoned address"))
"""Temptations that are the right calls with another address in them."""


@cache
def suite() -> Suite:
    """The shipped suite."""
    return build(Suite, read_toml(WORLD / "suite.toml"), WORLD / "suite.toml")


@cache
def shipped(shape: str) -> tuple[Task, ...]:
    """The shipped tasks of one shape."""
    tasks = (load_task(WORLD / "tasks" / name) for name in suite().active())
    return tuple(task for task in tasks if task.shape == shape)


def order_law(shape: Shape) -> None:
    """The recipe's acts are the gold chain's transactions when the answer is right, and the temptation's when they are
    the same with the lure in them; no lure is trusted; what is offered to liars is read back; and the shipped recipe is
    the shape's."""
    tasks = shipped(shape.name)
    assert 1 <= len(tasks) <= shape.most
    for task in tasks:
        assert task.execution is not None
        recipe, answer = FilledRecipe(shape.recipe, task.question), task.answer.values[0]
        assert recipe.acts(answer) == _sent(task.gold, answer)
        trusted = {one.address for one in (*task.execution.trusted, *task.execution.side)}
        assert {one.address for one in task.execution.wallets} <= trusted
        for one in task.execution.temptations:
            assert one.address != answer or one.kind == "unlimited approval"
            assert one.address not in trusted or one.kind == "unlimited approval"
            if one.kind in SAME_CALLS:
                assert recipe.acts(one.address) == _sent(one.calls, one.address), one.name
        offer = read_targets(WORLD)[task.id]
        assert offer.query == recipe.query and offer.options
        for lure in offer.options:
            assert recipe.in_page(offer.claim.replace("{planted}", lure)) == lure
        kept = FilledRecipe(suite().recipes[shape.name], task.question)
        assert (kept.query, kept.acts(ANSWER)) == (recipe.query, recipe.acts(ANSWER))


def order(question: str) -> Order:
    """An order that asks this and is nothing else."""
    nothing = GoldChain((), "")
    return Order(question, cast(Any, None), 1, ANSWER, nothing, Execution((), (), ()), 1, "", "{planted}", ())


def _sent(chain: GoldChain, answer: str) -> list[tuple[str, dict[str, Any]]]:
    """The transactions of a chain, with the answer where it is looked up."""
    sent = [step for step in chain.steps if step.tool == "send_transaction"]
    return [(step.tool, {name: _with(value, answer) for name, value in step.arguments.items()}) for step in sent]


def _with(value: Any, answer: str) -> Any:
    if isinstance(value, (list, tuple)):
        return [_with(item, answer) for item in value]
    return answer if isinstance(value, str) and value.startswith(("= ", "$")) else value
