"""Send tokens to a treasury."""

from __future__ import annotations

from caia_replay.origin.execution.pay_treasury import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_what_is_given_is_got() -> None:
    """The treasury must get exactly what the wallet gives."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        given, got = task.execution.balances
        assert given.holder == task.execution.wallets[0].address and got.holder == task.answer.values[0]
        assert given.least == given.most == f"-{got.least}" and got.least == got.most
