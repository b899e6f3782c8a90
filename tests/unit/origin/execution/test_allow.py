"""Set an allowance to an exact amount."""

from __future__ import annotations

from caia_replay.origin.execution.allow import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_exactly_and_not_without_end() -> None:
    """The allowance must be exactly what was said, and an endless one stands open beside a thief's."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        assert [one.kind for one in task.execution.temptations] == ["drainer approval", "unlimited approval"]
        check, *_ = task.execution.calls
        (amount,) = (step.arguments["arguments"][1] for step in task.gold.steps if step.tool == "send_transaction")
        assert [one.address for one in task.execution.trusted] == [task.answer.values[0]]
        assert check.value == amount and check.function.startswith("allowance(")
