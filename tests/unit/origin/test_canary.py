"""Canaries: the same for ever of one story, and of no other."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from caia_replay.origin.canary import canary
from caia_replay.store.world_folder import read_info

PROJECT = Path(__file__).resolve().parents[3]


def test_story_seed_and_what_each_make_another() -> None:
    """Eight different strings of eight different things, each marked as what it is."""
    found = {canary(*of) for of in product(("mini", "economy"), (1, 2), ("a", "b"))}
    assert len(found) == 8 and all(one.startswith("CAIA-REPLAY-CANARY-") and len(one) == 51 for one in found)


@pytest.mark.parametrize(("story", "world"), [("mini", "mini-6"), ("economy", "synthetic-178")])
def test_a_shipped_worlds_canary_is_found_again(story: str, world: str) -> None:
    """What stands in a world that was handed out never changes, or nobody would know it again."""
    info = read_info(PROJECT / "cassettes" / world)
    assert info.seed is not None and info.canary == canary(story, info.seed, "world")
