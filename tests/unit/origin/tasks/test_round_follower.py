"""Which fund took part in a round besides the one that led it, by the page about a project's investors."""

from __future__ import annotations

from caia_replay.origin.tasks.round_follower import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
