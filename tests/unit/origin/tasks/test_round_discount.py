"""How far a coin's price stood above what a round's investors paid: an article's sum and tokens, and a market."""

from __future__ import annotations

from caia_replay.origin.tasks.round_discount import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
