"""Send bridged dollars back."""

from __future__ import annotations

from caia_replay.origin.execution.bridge_back import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_it_arrives_on_the_other_chain() -> None:
    """The wallet is on the roll-up, the recipient on the main chain, where the same dollars arrive."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (payout,), (event,) = task.execution.after, task.execution.events
        wallet, recipient = task.execution.side
        assert wallet.chain == task.anchor.chain != recipient.chain == payout.chain
        assert recipient.address == task.answer.values[0] == payout.arguments[2] and payout.when == event
        gone, came = task.execution.assets[:2]
        assert (gone.usd, gone.chain, came.chain) == (came.usd, wallet.chain, recipient.chain)
