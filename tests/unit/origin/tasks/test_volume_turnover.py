"""A day's volume of a decentralised exchange over what was locked in it as that day ended."""

from __future__ import annotations

from caia_replay.origin.tasks.volume_turnover import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
