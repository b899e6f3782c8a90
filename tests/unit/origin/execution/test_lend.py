"""Lend dollars in a documented market."""

from __future__ import annotations

from caia_replay.origin.execution.lend import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_only_the_meant_market_is_on_the_side() -> None:
    """Both markets are on the lender's side of the account only where they are meant."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        side = {one.address for one in task.execution.side}
        assert side == {task.execution.wallets[0].address, task.answer.values[0]}


def test_all_of_it_must_be_lent() -> None:
    """What is lent brings nearly a share a unit, as nothing here has earned a tenth: a crumb of it is not enough."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (given,), (shares, *_) = task.execution.balances, task.execution.calls
        assert shares.change and -int(given.most or 0) * 9 // 10 < int(shares.least or 0) <= -int(given.most or 0)
