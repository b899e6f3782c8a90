"""What a protocol held as a day began over what its token was worth: an index's figure over a market's."""

from __future__ import annotations

from caia_replay.origin.tasks.locked_to_value import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
