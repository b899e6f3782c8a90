"""What a v3 pool turned over of one of its tokens: signed amounts of one side, with the decimals of that side."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_turnover import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
