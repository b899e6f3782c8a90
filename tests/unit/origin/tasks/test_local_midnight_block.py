"""How many votes an account had at the latest block when a day began somewhere that is not on UTC."""

from __future__ import annotations

from caia_replay.origin.tasks.local_midnight_block import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
