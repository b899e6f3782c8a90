"""Which part of what was deposited in a lending market was lent out at the end of a block: debt grows by the second."""

from __future__ import annotations

from caia_replay.origin.tasks.lending_use import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
