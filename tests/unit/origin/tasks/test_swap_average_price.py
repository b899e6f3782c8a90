"""At which price a pool traded over a range of blocks, each swap weighing what it moved: two sides, two decimals."""

from __future__ import annotations

from caia_replay.origin.tasks.swap_average_price import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
