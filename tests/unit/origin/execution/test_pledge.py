"""Pledge tokens as collateral."""

from __future__ import annotations

from caia_replay.origin.execution.pledge import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_market_counts_it() -> None:
    """What is pledged must be counted by the market, to the last unit, and no debt be made on it."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        check, debt, *_ = task.execution.calls
        (given,) = task.execution.balances
        assert debt.change and debt.least == debt.most == "0" and debt.function.startswith("scaledDebtOf(")
        assert check.change and check.least == check.most == (given.least or "").removeprefix("-")
