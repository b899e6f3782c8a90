"""Which place a coin had by market cap at the moment of asking."""

from __future__ import annotations

from caia_replay.origin.tasks.market_cap_rank import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
