"""The day for which a venue announces that a coin cannot be paid in or out: the notice is found, then read."""

from __future__ import annotations

from caia_replay.origin.tasks.planned_stop import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
