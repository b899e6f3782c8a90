"""The middle one of a token's transfers of one UTC day: neither the mean nor the sum, and in whole tokens."""

from __future__ import annotations

from caia_replay.origin.tasks.median_transfer import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
