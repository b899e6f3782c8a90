"""How much a spender could still take out of an account: an approval without limit reaches as far as the balance."""

from __future__ import annotations

from caia_replay.origin.tasks.open_allowance import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
