"""The largest single movement of a token on one UTC day, in whole tokens."""

from __future__ import annotations

from caia_replay.origin.tasks.largest_transfer import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
