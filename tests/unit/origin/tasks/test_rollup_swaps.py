"""How often one account traded on the roll-up's pool within a range of blocks: swaps, not transfers or deposits."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_swaps import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
