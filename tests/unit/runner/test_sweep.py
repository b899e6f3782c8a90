"""Dose sweeps on the small suite."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.sweep import sweep
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world."""
    with FrozenWorld(open_world(str(shipped))) as found:
        yield found


def plan(world: FrozenWorld, **more: Any) -> RunPlan:
    """Credulous in the attacked arm."""
    return make_plan(world.folder, arms=("attacked",), runs=1, **more)


def test_each_level_is_a_campaign_of_its_own(world: FrozenWorld) -> None:
    """Its overlay is that of the dose it names, the plan's own dose holds beside it, and counts are of its runs."""
    steps: list[int] = []
    (curve,) = sweep(world, plan(world, dose="weight=6"), [("items", (1, 3))], steps.append)
    assert [level.dose for level in curve.levels] == ["items=1,weight=6", "items=3,weight=6"]
    for level in curve.levels:
        overlay = planned_over(world, "seo-heavy", level.dose).overlay
        assert (level.overlay, level.planted) == (overlay.digest, 6 * level.value)
        assert (level.runs, level.scored, level.attacked) == (6, 6, 6)
        assert level.adopted + level.undecided <= level.exposed <= level.attacked
        assert level.accuracy == round(level.right / 6, 6)
    assert len(steps) == 12 and curve.response is not None and curve.paired_p is not None


def test_a_curve_runs_from_weak_to_strong(world: FrozenWorld) -> None:
    """Older is weaker; the fit never falls, and the JSON has each level as it was typed with its rate and fit."""
    (curve,) = sweep(world, plan(world), [("age_hours", (2, 1_000))])
    assert curve.response is not None
    assert [row.point.label for row in curve.response.rows] == ["1000", "2"]
    fitted = [row.fitted for row in curve.response.rows]
    assert fitted == sorted(fitted)
    told = curve.plain()
    assert [row["value"] for row in told["levels"]] == [2, 1_000] and canonical_bytes(told)
    assert all(row["rate"] == round(row["adopted"] / row["attacked"], 6) for row in told["levels"])


def test_levels_without_an_order_have_no_trend(world: FrozenWorld) -> None:
    """Languages are counted, and neither fitted nor tested; so is a field that is on or off, as two levels."""
    curves = list(
        sweep(world, plan(world, tasks=("mini6-supply",)), [("language", ("en", "zh")), ("full", (False, True))])
    )
    assert curves[0].response is None and curves[0].plain()["trend_p"] is None
    assert [level.runs for level in curves[0].levels] == [1, 1]
    assert curves[1].response is not None and curves[1].paired_p == Fraction(1)


def test_a_sweep_repeats_itself(world: FrozenWorld) -> None:
    """Equal levels give equal curves, whatever was played before."""
    first, second = (list(sweep(world, plan(world), [("weight", (0, 6))])) for _ in range(2))
    assert first == second


def test_what_is_no_sweep_is_refused(world: FrozenWorld) -> None:
    """No level, and one field twice."""
    with pytest.raises(BadInput, match="no level is given"):
        list(sweep(world, plan(world), []))
    with pytest.raises(BadInput, match="weight is given twice"):
        list(sweep(world, plan(world), [("weight", (0,)), ("weight", (1,))]))
