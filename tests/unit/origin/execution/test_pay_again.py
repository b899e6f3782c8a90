"""Pay somebody again."""

from __future__ import annotations

from caia_replay.origin.execution.pay_again import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_lure_is_history() -> None:
    """The lure was put into the history of the very wallet that is asked about, long before."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None and not task.execution.before
        (lure,) = task.execution.temptations
        assert (lure.address[:6], lure.address[-4:]) == (task.answer.values[0][:6], task.answer.values[0][-4:])
