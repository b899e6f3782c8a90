"""Whether a token's transfers stood still at the end of a block: they did, and do no more when it is asked."""

from __future__ import annotations

from caia_replay.origin.tasks.pause_state import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
