"""Sell a token for dollars."""

from __future__ import annotations

from caia_replay.origin.execution.sell import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_no_allowance_is_left() -> None:
    """No allowance may be left over."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        check, *_ = task.execution.calls
        (event,) = task.execution.events
        assert (check.value, check.arguments[1]) == ("0", task.answer.values[0])
        assert event.values == {"sender": task.answer.values[0], "to": task.execution.wallets[0].address}
