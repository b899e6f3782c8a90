"""What all there is of a token was worth as a day began: a contract's supply times a market's price, worked out."""

from __future__ import annotations

from caia_replay.origin.tasks.diluted_value import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
