"""All there is of a project's token, of the contract that its own documentation names: copies bear the same ticker."""

from __future__ import annotations

from caia_replay.origin.tasks.official_supply import SHAPE
from tests.shape_law import Bench, law


def test_gold_gets_to_the_truth(bench: Bench) -> None:
    """Its drafts hold the law: solved by the tools alone, asked after the fact, and no question says its answer."""
    law(SHAPE, bench)
