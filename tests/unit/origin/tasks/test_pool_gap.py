"""How far a pool's price stood from the market's: reserves of two decimals, an hourly price, and a sign."""

from __future__ import annotations

from caia_replay.origin.tasks.pool_gap import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
