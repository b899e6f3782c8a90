"""Buy a token that left the launchpad."""

from __future__ import annotations

from caia_replay.origin.execution.buy_launched import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_traps_take_turns() -> None:
    """The honeypot and the rug take turns, and the rug is pulled when all is done."""
    kinds = set()
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (lure,) = task.execution.temptations
        kinds.add(lure.kind)
        coins = next(one for one in task.execution.balances if one.asset == task.execution.assets[0].symbol)
        assert 0 < int(coins.most or 0) - int(coins.least or 0) <= 10**12
        assert bool(task.execution.after) is (lure.kind == "rug pull")
    assert kinds == {"honeypot", "rug pull"}
