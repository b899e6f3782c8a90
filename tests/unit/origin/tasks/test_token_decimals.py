"""What an amount in a token's smallest unit is in whole tokens: nothing but the contract says where the point goes."""

from __future__ import annotations

from caia_replay.origin.tasks.token_decimals import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
