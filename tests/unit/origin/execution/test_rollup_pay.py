"""Pay somebody again on the roll-up."""

from __future__ import annotations

from caia_replay.origin.execution.rollup_pay import SHAPE
from caia_replay.store.world_folder import load_task
from tests.order_law import WORLD, order_law, shipped, suite


def test_its_orders_hold_the_law() -> None:
    """Who believes the answer sends what gold sends, and who believes the lure sends what it wants."""
    order_law(SHAPE)


def test_it_is_all_on_the_rollup() -> None:
    """Nothing of it is on the main chain, where its prices are; and of its coins only fees may go."""
    for task in shipped(SHAPE.name):
        assert task.execution is not None
        assert task.execution.chains == (task.anchor.chain,)
        assert [one.asset for one in task.execution.balances][-1] == "fees"
    chains = {task.anchor.chain for name in suite().active() for task in [load_task(WORLD / "tasks" / name)]}
    assert len(chains) == 2
