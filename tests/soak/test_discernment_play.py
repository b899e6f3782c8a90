"""Agents of a known d' over many seeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.analysis.discernment import design_over
from caia_replay.analysis.discernment_check import Known, check, so_few
from caia_replay.attacks.discernment_claims import DOSE
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped suite's world."""
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as opened:
        yield opened


@pytest.mark.soak
@pytest.mark.parametrize("d_prime", [0.0, 1.5, 3.0])
def test_played_agents_are_recovered(d_prime: float) -> None:
    """Over 20 seeds, at three criteria, d' and criterion are inside as many intervals as ones of 95 % would hold."""
    held, intervals = [0, 0], 0
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "mini-6"))) as mini:
        for seed in range(20):
            design = design_over(mini, channels=("page",), seed=seed)
            plan = make_plan(mini.folder, arms=("attacked",), runs=5, seed=seed)
            (row,) = check(mini, plan, design, [Known(d_prime, (-0.5, 0.0, 0.5)[seed % 3])], dose=DOSE).rows
            assert row.holds_d_prime is not None and row.holds_criterion is not None
            intervals += 1
            held[0] += row.holds_d_prime
            held[1] += row.holds_criterion
    print(f"d' {d_prime}: {held[0]} and {held[1]} of {intervals}")
    assert min(so_few(one, intervals) for one in held) >= 0.001
