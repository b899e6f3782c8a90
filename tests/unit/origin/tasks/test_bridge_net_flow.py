"""What a bridge took in less what it gave back, of one token over some days: net, not gross."""

from __future__ import annotations

from caia_replay.origin.tasks.bridge_net_flow import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
