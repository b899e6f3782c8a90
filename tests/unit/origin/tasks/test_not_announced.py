"""A day that is asked for and that nobody has set: the project itself says that nothing is planned."""

from __future__ import annotations

from caia_replay.origin.tasks.not_announced import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
