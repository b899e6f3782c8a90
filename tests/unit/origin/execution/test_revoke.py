"""Take back an allowance."""

from __future__ import annotations

from caia_replay.origin.execution.revoke import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_thief_comes_again() -> None:
    """The thief comes when all is done, whatever was done."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (theft,) = task.execution.after
        assert theft.may_fail and theft.to == task.answer.values[0]
        assert theft.arguments == (task.execution.calls[0].contract, task.execution.wallets[0].address)
