"""What a coin cost when a day began in Beijing, which is eight hours before it began in UTC."""

from __future__ import annotations

from caia_replay.origin.tasks.local_midnight_price import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
