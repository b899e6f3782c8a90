"""A figure that a project's own account posted on a day: what it said, and not what the chain or an index says."""

from __future__ import annotations

from caia_replay.origin.tasks.posted_figure import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
