"""Stake and earn."""

from __future__ import annotations

from caia_replay.origin.execution.sending import ALLOWANCE
from caia_replay.origin.execution.stake import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_it_is_looked_a_week_later() -> None:
    """It is looked a week later, after the thief was there, what the stake has earned."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        theft, week = task.execution.after
        assert theft.function.startswith("drain(") and (week.to, week.wait_s) == ("", 7 * 86_400)
        assert int(task.execution.calls[1].least or 0) > 0
        assert (task.execution.calls[2].function, task.execution.calls[2].value) == (ALLOWANCE, "0")
