"""What the tokens that a vesting cliff set free were worth at that moment: a calendar's amount, a market's price."""

from __future__ import annotations

from caia_replay.origin.tasks.unlock_value import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
