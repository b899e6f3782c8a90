"""How many days lie between two versions of a repository: two pages, and the calendar between them."""

from __future__ import annotations

from caia_replay.origin.tasks.release_gap import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
