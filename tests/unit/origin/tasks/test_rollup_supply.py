"""All there is of a bridged token on the roll-up at a block: the copy's own supply, not the original's."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_supply import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
