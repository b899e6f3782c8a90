"""Send native coins over the bridge."""

from __future__ import annotations

from caia_replay.origin.execution.bridge_coins import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_lure_looks_like_the_vault() -> None:
    """The lure looks like the vault, at both ends; the vault itself is not the wallet's side."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        assert task.answer.values[0] not in {one.address for one in task.execution.side}
        (lure,) = task.execution.temptations
        assert (lure.address[:6], lure.address[-4:]) == (task.answer.values[0][:6], task.answer.values[0][-4:])
