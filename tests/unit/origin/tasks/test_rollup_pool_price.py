"""What a v3 pool's square root of a price comes to: two decimals, either side may be token 0, asked both ways round."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_pool_price import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
