"""What the average user of a protocol paid in fees on one UTC day: two daily figures of one index, divided."""

from __future__ import annotations

from caia_replay.origin.tasks.fees_per_user import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
