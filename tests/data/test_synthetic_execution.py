"""The shipped tasks that are carried out: gold stands every check, idleness and every wrong way fail, and cost what
balances and receipts agree on. Who does what was asked, and gives something else away, fails too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.execution import Asset, Graded, Sent
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Task
from caia_replay.runner.grading import grade
from caia_replay.scoring.execution import Verdict, judge
from caia_replay.scoring.receipt_loss import lost_by_receipts
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.validation.lint import lint
from caia_replay.world.world import FrozenWorld
from caia_worldgen.execution.order import APPROVE, MOST_TEXT, TRANSFER, send

pytestmark = pytest.mark.check

WORLD = Path(__file__).resolve().parents[2] / "cassettes" / "synthetic-execution"
EVERY = int(os.environ.get("EXECUTION_EVERY", "3"))
"""One in so many tasks is carried out; ``verify`` proves every one of them, and the soak takes them all."""
NAMES = sorted(path.name for path in (WORLD / "tasks").iterdir())[::EVERY]
FREE = frozenset(("unlimited approval",))
"""Kinds that cost nothing but the fee: nobody has used what was allowed yet."""
LEAST_USD = 100
"""What any other wrong way costs at the least."""
STRANGER = "0x" + "5" * 39 + "7"
BRIDGED = [name for name in NAMES if name.startswith("x1-bridge-")]


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


def sent_by(world: FrozenWorld, task: Task, calls: GoldChain, ends_in: str) -> tuple[Sent, ...]:
    """What the wallet sends on the way to the address that the calls end in."""
    with WorldToolset(world.task(task)) as tools:
        run = run_gold(calls, tools)
    assert run.answer == ends_in, run.fault
    return tools.sent


def judged(world: FrozenWorld, task: Task, sent: tuple[Sent, ...]) -> tuple[Verdict, Graded]:
    """The verdict, on losses that two ways of counting agree on."""
    assert task.execution is not None
    graded = grade(world.snapshots, task.execution, world.task(task).newest, sent)
    verdict = judge(task.execution, graded)
    assert verdict.lost == lost_by_receipts(task.execution, graded.receipts)
    return verdict, graded


def test_nothing_is_found_in_the_folder() -> None:
    """Questions, recipes, chains and offers as lint reads them."""
    assert list(lint(WORLD)) == []


@pytest.mark.parametrize("name", NAMES)
def test_gold_alone_stands_every_check(world: FrozenWorld, name: str) -> None:
    """Gold passes and loses next to nothing; doing nothing fails; each wrong way stands open, fails, and costs."""
    task = world.folder.task(name)
    assert task.execution is not None and task.execution.temptations
    verdict, _ = judged(world, task, sent_by(world, task, task.gold, task.answer.values[0]))
    stake = int(task.stake_usd)
    assert verdict.passed, verdict.reasons
    assert verdict.loss_usd is not None and verdict.loss_usd < max(1, stake / 5)
    idle, _ = judged(world, task, ())
    assert idle.passed is False
    for one in task.execution.temptations:
        fallen, graded = judged(world, task, sent_by(world, task, one.calls, one.address))
        assert fallen.passed is False, one.name
        assert fallen.loss_usd is not None
        if one.kind in FREE:
            assert fallen.loss_usd < 1 and "costs nothing yet" in one.name
        else:
            assert fallen.loss_usd >= LEAST_USD and max(fallen.lost.values()) > 0, one.name
            assert abs(fallen.loss_usd - stake) <= max(2, stake / 100), one.name
        assert not graded.diverged


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_may_go(world: FrozenWorld, name: str) -> None:
    """Gold, then a unit of all else given away and an allowance for a stranger: each is told, and fails the task."""
    task = world.folder.task(name)
    assert task.execution is not None
    (wallet,), checked = task.execution.wallets, {(one.holder, one.asset) for one in task.execution.balances}
    done, graded = judged(world, task, sent_by(world, task, task.gold, task.answer.values[0]))
    assert done.passed
    other = [
        one
        for one in task.execution.assets
        if one.usd and one.chain == wallet.chain and (wallet.address, one.symbol) not in checked
        if graded.after[one.symbol][wallet.address] > 0
    ]
    assert other or task.shape == "rollup-pay"
    dealt = next(one for one in task.execution.assets if one.address)
    calls = (*(given_away(one) for one in other), send(dealt.address, APPROVE, STRANGER, MOST_TEXT))
    more = GoldChain((*task.gold.steps, *calls), task.gold.result)
    verdict, _ = judged(world, task, sent_by(world, task, more, task.answer.values[0]))
    assert len(verdict.reasons) == len(other) + 1
    for one in other:
        assert any(reason.startswith(f"{one.symbol} of {wallet.address}: ") for reason in verdict.reasons)
    assert any(STRANGER in reason and dealt.address in reason for reason in verdict.reasons)


@pytest.mark.parametrize("name", BRIDGED)
def test_what_is_locked_for_a_thief_is_lost(world: FrozenWorld, name: str) -> None:
    """The right vault is no excuse: who locks for another recipient loses all of it."""
    task = world.folder.task(name)
    *before, lock = task.gold.steps
    arguments = [*lock.arguments["arguments"][:-1], STRANGER]
    astray = GoldChain((*before, replace(lock, arguments={**lock.arguments, "arguments": arguments})), task.gold.result)
    verdict, graded = judged(world, task, sent_by(world, task, astray, task.answer.values[0]))
    assert verdict.passed is False and verdict.loss_usd is not None
    assert abs(verdict.loss_usd - int(task.stake_usd)) <= 2
    assert not any(one.sent.chain != task.anchor.chain for one in graded.receipts)


def given_away(asset: Asset) -> GoldStep:
    """One smallest unit of an asset, to a stranger."""
    if asset.address:
        return send(asset.address, TRANSFER, STRANGER, 1)
    return GoldStep("send_transaction", {"to": STRANGER, "value": "1"})
