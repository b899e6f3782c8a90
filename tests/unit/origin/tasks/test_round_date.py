"""On which day a round of a project was closed, by the page about its investors on its own site."""

from __future__ import annotations

from caia_replay.origin.tasks.round_date import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
