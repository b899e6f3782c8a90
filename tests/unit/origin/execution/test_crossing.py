"""The bridge as orders use it."""

from __future__ import annotations

import pytest

from caia_replay.core.task import Task
from tests.order_law import shipped

CROSSING = [task for shape in ("bridge", "bridge-coins", "bridge-back") for task in shipped(shape)]


@pytest.mark.parametrize("task", CROSSING, ids=lambda task: task.id)
def test_what_crosses_keeps_its_worth(task: Task) -> None:
    """It is counted on both chains, by one price: who crosses for the right recipient loses nothing."""
    assert task.execution is not None
    given, came = task.execution.assets[:2]
    assert given.chain == task.anchor.chain != came.chain and (given.usd, given.decimals) == (came.usd, came.decimals)
    assert {one.chain for one in task.execution.side} == {given.chain, came.chain}


@pytest.mark.parametrize("task", CROSSING, ids=lambda task: task.id)
def test_it_is_carried_as_it_was_sent(task: Task) -> None:
    """The relayer may not fail, and acts only where the wallet's own event says so, for its recipient and amount."""
    assert task.execution is not None
    (event,), payout = task.execution.events, task.execution.after[-1]
    assert payout.when == event and not payout.may_fail and payout.chain != event.chain
    assert payout.arguments[2:] == (event.values["recipient"], event.values["amount"])
    assert event.values["sender"] == task.execution.wallets[0].address


@pytest.mark.parametrize("task", CROSSING, ids=lambda task: task.id)
def test_bridged_prices_are_asked_of_the_main_chain(task: Task) -> None:
    """By its name, so that they can be told from either."""
    assert task.execution is not None
    main = {"bridge-back": task.execution.side[1].chain}.get(task.shape, task.anchor.chain)
    asked = [
        step.arguments.get("chain")
        for one in task.execution.assets
        if one.price is not None and one.chain != main
        for step in one.price.steps
    ]
    assert set(asked) <= {main}
