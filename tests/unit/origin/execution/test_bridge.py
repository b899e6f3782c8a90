"""Send tokens over the bridge."""

from __future__ import annotations

from caia_replay.origin.execution.bridge import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_vault_says_it() -> None:
    """The vault must say whose tokens it locked, how many, and for whom; then alone they arrive."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (event,) = task.execution.events
        assert event.values["sender"] == task.execution.wallets[0].address != event.values["recipient"]
        *_, payout = task.execution.after
        assert payout.when == event and payout.arguments[1:] == (
            event.values["token"],
            event.values["recipient"],
            event.values["amount"],
        )
        assert event.values["recipient"] in task.question and event.contract == task.answer.values[0]
