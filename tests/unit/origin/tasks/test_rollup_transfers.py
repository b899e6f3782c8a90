"""How much of a bridged token changed hands on the roll-up on one UTC day: what the bridge minted or burnt is none."""

from __future__ import annotations

from caia_replay.origin.tasks.rollup_transfers import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
