"""What the users of a protocol paid in fees over seven days, whatever of it the protocol kept."""

from __future__ import annotations

from caia_replay.origin.tasks.week_fees import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
