"""What a spender may still take: an approval that was used up or revoked is nothing, one without limit is all."""

from __future__ import annotations

from caia_replay.origin.tasks.open_allowance import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
