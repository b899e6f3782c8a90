"""Deposit at the venue."""

from __future__ import annotations

from caia_replay.origin.execution.pay_venue import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_history_is_poisoned_first() -> None:
    """A look-alike of the venue's wallet stands in the wallet's history before anything is done."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (poison,) = task.execution.before
        (lure,) = task.execution.temptations
        assert poison.arguments == (task.execution.wallets[0].address, lure.address, "0")
