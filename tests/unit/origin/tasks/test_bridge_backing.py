"""How much of a token was on its way over the bridge: what the vault held less what there was on the other chain."""

from __future__ import annotations

from caia_replay.origin.tasks.bridge_backing import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
