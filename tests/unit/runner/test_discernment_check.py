"""The instrument checked on agents that are known, played over the shipped mini world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binom

from caia_replay.attacks.discernment_claims import DOSE
from caia_replay.errors import BadInput
from caia_replay.runner.discernment import Design, design_over
from caia_replay.runner.discernment_check import Check, Known, check, holds, parse_known, so_few
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

MINI = Path(__file__).resolve().parents[3] / "cassettes" / "mini-6"


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped mini world."""
    with FrozenWorld(open_world(str(MINI))) as opened:
        yield opened


@pytest.fixture(scope="module")
def design(world: FrozenWorld) -> Design:
    """One channel that tells something, and one that cannot."""
    return design_over(world, channels=("page", "post"))


def checked(world: FrozenWorld, design: Design, agents: list[Known], runs: int = 10, seed: int = 0) -> Check:
    plan = make_plan(world.folder, arms=("attacked",), runs=runs, seed=seed)
    return check(world, plan, design, agents, dose=DOSE)


def test_known_agents_are_recovered(world: FrozenWorld, design: Design) -> None:
    """Over two seeds nearly all intervals hold, and neither of d' 0 and 3 is taken for the other."""
    found = [checked(world, design, [Known(0.0, -0.3), Known(3.0)], seed=seed) for seed in range(2)]
    held, intervals = (sum(getattr(one, name) for one in found) for name in ("held", "intervals"))
    assert intervals == 4 and so_few(held, intervals) >= 0.001 and all(one.is_recovered for one in found)
    for one in found:
        rows = [row for row in one.rows if row.reading.channel == "page"]
        assert [row.reading.heard for row in rows] == [60] * 2
        assert not holds(rows[0].reading.over_all.d_prime_interval, 3.0)
        assert not holds(rows[1].reading.over_all.d_prime_interval, 0.0)
        assert {row.holds_d_prime for row in one.rows if row.reading.channel == "post"} == {None}


def test_equal_checks_are_equal_and_agents_draw_apart(world: FrozenWorld, design: Design) -> None:
    """The same file for the same seed, another for another; agents alike but for a hair differ in noise."""
    first = checked(world, design, [Known(1.0)], runs=5).plain()
    assert first == checked(world, design, [Known(1.0)], runs=5).plain() == json.loads(json.dumps(first))
    assert first["digest"] != checked(world, design, [Known(1.0)], runs=5, seed=1).plain()["digest"]
    alike = checked(world, design, [Known(1.0), Known(1.0 + 1e-9)], runs=5).rows
    pages = [row.reading.over_all for row in alike if row.reading.channel == "page"]
    assert (pages[0].hits, pages[0].false_alarms) != (pages[1].hits, pages[1].false_alarms)


def test_a_check_can_fail(world: FrozenWorld, design: Design) -> None:
    """Where too few intervals hold, and where there is none at all."""
    found = checked(world, design, [Known(0.0)], runs=5)
    row = next(row for row in found.rows if row.holds_d_prime is not None)
    missed = replace(row, holds_d_prime=False)
    assert Check({}, (row,) * 9 + (missed,)).is_recovered and not Check({}, (row,) * 5 + (missed,) * 5).is_recovered
    assert not Check({}, ()).is_recovered


@pytest.mark.parametrize("intervals", [1, 5, 20])
def test_so_few_is_the_binomial_tail(intervals: int) -> None:
    """Against SciPy."""
    for held in range(intervals + 1):
        assert so_few(held, intervals) == pytest.approx(float(binom.cdf(held, intervals, 0.95)))


def test_agents_are_named_by_their_figures() -> None:
    """A d', or one with a criterion; anything else is refused with what would do."""
    assert (parse_known("1.5"), parse_known("0, -0.3")) == (Known(1.5), Known(0.0, -0.3))
    for wrong in ("", "x", "1,2,3", "6", "nan", "1,inf", "-5.1"):
        with pytest.raises(BadInput, match="--simulate"):
            parse_known(wrong)
