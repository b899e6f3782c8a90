"""Which part of a token's supply was staked at the end of a block: a pool's figure over a contract's."""

from __future__ import annotations

from caia_replay.origin.tasks.staked_share import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
