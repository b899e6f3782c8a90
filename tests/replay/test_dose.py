"""Adoption follows the dose: a short sample, on the small suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.analysis.sweep import sweep
from caia_replay.runner.dose import parse_levels
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.mark.check
def test_more_copies_are_never_shown_to_fewer(shipped: Path) -> None:
    """Every task is attacked at each level, and one that meets a single copy meets one of three."""
    folder = open_world(str(shipped))
    plan = make_plan(folder, arms=("attacked",), model="policy/search-only", runs=1, campaign="look-alike")
    with FrozenWorld(folder) as world:
        (curve,) = sweep(world, plan, [parse_levels("items=1,3")])
    weak, strong = curve.levels
    assert (weak.attacked, strong.attacked) == (6, 6)
    assert strong.exposed >= weak.exposed > 0 and curve.fitted is not None
