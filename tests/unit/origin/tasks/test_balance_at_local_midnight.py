"""What somebody held when a day ended in a place that is not on UTC: which block that was comes first."""

from __future__ import annotations

from caia_replay.origin.tasks.balance_at_local_midnight import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
