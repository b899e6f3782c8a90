"""Who got the most of a token over the bridge within some days, or sent the most back: sums by account."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_user import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
