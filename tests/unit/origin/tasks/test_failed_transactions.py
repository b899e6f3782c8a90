"""How many transactions failed on a chain within some UTC days: they are in its blocks, and cost their senders gas."""

from __future__ import annotations

from caia_replay.origin.tasks.failed_transactions import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
