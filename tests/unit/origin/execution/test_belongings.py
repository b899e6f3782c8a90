"""What is counted of a wallet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from caia_replay.core.task import Task
from caia_replay.origin.execution.belongings import spent_coins
from caia_replay.store.world_folder import load_task
from tests.order_law import WORLD, suite

TASKS = [load_task(WORLD / "tasks" / name) for name in suite().active()]
MAIN = next(task.anchor.chain for task in TASKS if task.shape == "buy")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_coins_are_counted_in_both_forms(task: Task) -> None:
    """On the main chain at one price, under two names; on the roll-up the gas coin without one."""
    assert task.execution is not None
    chain = task.execution.wallets[0].chain
    (coins,) = (one for one in task.execution.assets if one.chain == chain and not one.address)
    assert (coins.usd is None) is (chain != MAIN)
    if chain == MAIN:
        (wrapped,) = (one for one in task.execution.assets if one.symbol == f"W{coins.symbol}")
        assert wrapped.address and (wrapped.usd, wrapped.price) == (coins.usd, coins.price)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_nothing_is_counted_twice(task: Task) -> None:
    """Neither by name nor by address."""
    assert task.execution is not None
    names = [one.symbol for one in task.execution.assets]
    places = [(one.chain, one.address) for one in task.execution.assets]
    assert len(set(names)) == len(names) and len(set(places)) == len(places)


def test_what_was_lent_or_staked_before_is_kept() -> None:
    """Wallets with something in a market or a pool may take nothing out, nor borrow on it."""
    kept = [
        one
        for task in TASKS
        if task.execution is not None
        for one in task.execution.calls
        if one.change and (one.least, one.most) in (("0", None), (None, "0"))
    ]
    assert {(one.function.partition("(")[0], one.least) for one in kept} == {
        ("sharesOf", "0"),
        ("collateralOf", "0"),
        ("stakedOf", "0"),
        ("scaledDebtOf", None),
    }


@given(some.integers(0, 10**24))
def test_fees_are_no_loophole(wei: int) -> None:
    """What is spent must be spent, and hardly more."""
    least, most = (int(one) for one in spent_coins(wei))
    assert most == -wei and 0 < most - least < 10**13
