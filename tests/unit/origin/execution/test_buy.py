"""Buy a project's token for dollars."""

from __future__ import annotations

from caia_replay.origin.execution.buy import SHAPE
from tests.order_law import order_law, shipped


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_the_lure_is_for_sale() -> None:
    """Of copied tokens the copy is the lure, of all others the honeypot; a pool of it is there before it is asked."""
    kinds = set()
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        (lure,) = task.execution.temptations
        kinds.add(lure.kind)
        (theft,), (event,) = task.execution.after, task.execution.events
        assert theft.function.startswith("drain(") and theft.may_fail
        assert event.values["to"] == task.execution.wallets[0].address
        assert sum(one.function.startswith("addLiquidity(") for one in task.execution.before) == 1
        assert any(one.function.startswith("arm(") for one in task.execution.before) is (lure.kind == "honeypot")
    assert kinds == {"look-alike token", "honeypot"}
