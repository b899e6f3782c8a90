"""What a long position paid in funding over some days: every payment inside the window, with its sign."""

from __future__ import annotations

from caia_replay.origin.tasks.funding_paid import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
