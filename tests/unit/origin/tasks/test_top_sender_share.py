"""Which part of what a token moved in a range of blocks came from its largest sender: sums by account, then a share."""

from __future__ import annotations

from caia_replay.origin.tasks.top_sender_share import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
