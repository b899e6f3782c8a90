"""Adoption follows the dose: a short sample, on the small suite. tests/soak/test_dose.py has the table of the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.analysis.sweep import sweep
from caia_replay.runner.dose import parse_levels
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.mark.check
@pytest.mark.parametrize(("policy", "campaign", "dose", "over"), [
    ("credulous", "seo-light", "", "weight=0,6"), ("sceptic", "seo-heavy", "items=3,domains=3", "depth=1,3"),
])  # fmt: skip
def test_more_is_believed_more(shipped: Path, policy: str, campaign: str, dose: str, over: str) -> None:
    """Nobody is fooled at the weak end, most are at the strong one: by keywords, or by pages in words of their own."""
    folder = open_world(str(shipped))
    plan = make_plan(folder, arms=("attacked",), model=f"policy/{policy}", runs=1, campaign=campaign, dose=dose)
    with FrozenWorld(folder) as world:
        (curve,) = sweep(world, plan, [parse_levels(over)])
    weak, strong = curve.levels
    assert (weak.attacked, strong.attacked) == (6, 6) and weak.adopted == 0 and strong.adopted > 3
    assert weak.right > strong.right and curve.fitted is not None
    assert list(curve.fitted) == [0, pytest.approx(strong.adopted / 6, abs=1e-6)]
