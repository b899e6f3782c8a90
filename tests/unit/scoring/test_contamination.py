"""The gap between a suite and its twin, and what a seed alone changes: laws, textbook values, exact coverage."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.contamination import FEWEST_TASKS, gap_by_category, seed_spread, twin_gap
from caia_replay.scoring.interval import FEWEST_CLUSTERS, Estimate, difference_of, effective
from caia_replay.scoring.metrics import ScoredRun, clustered, grouped


def task(
    name: str, right: int, runs: int = 1, project: str | None = None, category: str = "overlap"
) -> list[ScoredRun]:
    """A task's runs, the first ``right`` of them right."""
    return [
        ScoredRun(name, category, n, n < right, "1" if n < right else "2", "answered", project=project)
        for n in range(runs)
    ]


def suite(right: int, tasks: int, category: str = "overlap") -> list[ScoredRun]:
    """``tasks`` tasks of their own, played once, the first ``right`` of them right."""
    return [run for at in range(tasks) for run in task(f"{category}-{at}", at < right, category=category)]


@st.composite
def suites(draw: st.DrawFn) -> list[ScoredRun]:
    """Five to fourteen tasks with one to three runs each, about some projects or none."""
    runs: list[ScoredRun] = []
    for number in range(draw(st.integers(5, 14))):
        many = draw(st.integers(1, 3))
        project = draw(st.none() | st.sampled_from("ABCDEFGH"))
        runs += task(f"t{number}", draw(st.integers(0, many)), many, project)
    return runs


@settings(max_examples=30)
@given(suites(), suites())
def test_the_gap_lies_in_its_interval_and_changes_sign_with_the_sides(
    original: list[ScoredRun], twin: list[ScoredRun]
) -> None:
    """The gap is the difference in points, inside an interval inside -100 to 100; exchanged sides mirror both."""
    there, back = (twin_gap(*sides) for sides in ((original, twin), (twin, original)))
    assert there is not None and back is not None and there.tasks == back.tasks[::-1]
    for gap, mirrored in ((there.majority, back.majority), (there.pass_at_1, back.pass_at_1)):
        assert gap is not None and mirrored is not None
        assert gap.points == pytest.approx(100 * (gap.original - gap.twin), abs=2e-4) and mirrored.points == -gap.points
        sizes = [map(len, clustered(grouped(side).values())) for side in (original, twin)]
        assert (gap.interval is None) is (min(map(effective, sizes)) < FEWEST_CLUSTERS)
        if gap.interval is not None:
            assert -100 <= gap.interval[0] <= gap.points <= gap.interval[1] <= 100
            assert mirrored.interval == (-gap.interval[1], -gap.interval[0])


def test_the_interval_is_newcombes() -> None:
    """Over Wilson's intervals 56 of 70 and 48 of 80 give the published 5.24 to 33.39 points (Newcombe 1998, 10)."""
    first, second = (
        Estimate(Fraction(right, many), Fraction(many), Fraction(10**9)) for right, many in ((56, 70), (48, 80))
    )
    ends = [float(100 * end) for end in difference_of(first, second)]
    assert ends == pytest.approx([5.24, 33.39], abs=0.005)


def test_projects_are_what_is_independent() -> None:
    """Twenty tasks about five projects leave a wider interval than twenty of their own, and about four leave none."""
    rng = Random(3)
    rates = [rng.random() < 0.5 for _ in range(5)]
    grouped = [run for at in range(20) for run in task(f"t{at}", rates[at % 5], project=f"p{at % 5}")]
    alone = [run for at in range(20) for run in task(f"t{at}", rates[at % 5])]
    wide, narrow = twin_gap(grouped, suite(10, 20)), twin_gap(alone, suite(10, 20))
    assert wide is not None and narrow is not None and wide.projects == (5, 20)
    assert wide.majority.interval and narrow.majority.interval
    assert wide.majority.interval[0] < narrow.majority.interval[0]
    few = twin_gap([run for run in grouped if run.project != "p4"], suite(10, 20))
    assert few is not None and few.majority.interval is None and few.majority.points == few.pass_at_1.points


def test_gaps_by_hand() -> None:
    """Runs not scored are no zeros; three of five a task are a whole majority; few tasks leave a low end."""
    broken = [ScoredRun("t", "overlap", 0, None, None, "model_fault")]
    assert twin_gap(suite(3, 6), broken) is None and twin_gap([], suite(3, 6)) is None
    assert twin_gap(suite(3, 6) + broken, suite(2, 6)) == twin_gap(suite(3, 6), suite(2, 6))
    apart = twin_gap([run for at in range(6) for run in task(f"t{at}", 3, 5)], suite(0, 6))
    assert apart is not None and (apart.majority.points, apart.pass_at_1.points) == (100, 60)
    few, many = (twin_gap(suite(tasks, tasks), suite(0, tasks)) for tasks in (6, 60))
    assert few is not None and few.majority.interval and few.majority.interval[1] == few.majority.points == 100
    assert many is not None and many.majority.interval and 0 < few.majority.interval[0] < many.majority.interval[0]


def test_a_category_needs_five_scored_tasks_in_both() -> None:
    """Five and five are told; four on either side, or a category that one lacks, are not; names are in order."""
    five = FEWEST_TASKS
    original = suite(5, five, "tokenomics") + suite(2, five, "overlap") + suite(9, 9, "trend analysis")
    twin = suite(1, five, "tokenomics") + suite(2, five + 1, "overlap") + suite(2, five - 1, "trend analysis")
    found = gap_by_category(original + suite(8, 8, "general knowledge"), twin)
    assert list(found) == ["overlap", "tokenomics"]
    assert (found["tokenomics"].majority.points, found["overlap"].tasks) == (80, (5, 6))


@pytest.mark.check
@pytest.mark.parametrize(("rate", "twin_rate"), [(0.5, 0.5), (0.7, 0.3), (0.9, 0.6)])
def test_the_interval_holds_the_true_gap_95_times_of_100(rate: float, twin_rate: float) -> None:
    """Exactly, by the binomials of sixteen tasks a side: 94 to 99 % for rates that are not at an end."""
    assert 0.94 <= coverage(rate, twin_rate) <= 0.99


def coverage(rate: float, twin_rate: float, tasks: int = 16) -> float:
    """How likely the interval of two samples of ``tasks`` independent tasks holds the gap of their true rates."""
    odds = [[comb(tasks, n) * p**n * (1 - p) ** (tasks - n) for n in range(tasks + 1)] for p in (rate, twin_rate)]
    held = 0.0
    for own, other in product(range(tasks + 1), repeat=2):
        if odds[0][own] * odds[1][other] < 1e-5:
            continue  # counted as not held
        found = twin_gap(suite(own, tasks), suite(other, tasks))
        assert found is not None and found.majority.interval is not None
        low, high = found.majority.interval
        held += (low <= 100 * (rate - twin_rate) <= high) * odds[0][own] * odds[1][other]
    return held


def test_the_spread_is_numpys() -> None:
    """Mean, sample deviation and ends of the scores themselves, in any order of seeds."""
    scores = {1: (3, 6), 2: (5, 6), 3: (4, 6), 7: (2, 6)}
    shares = [right / tasks for right, tasks in scores.values()]
    found = seed_spread(scores)
    assert (found.seeds, found.least, found.most) == (4, round(2 / 6, 6), round(5 / 6, 6))
    assert (found.mean, found.deviation) == pytest.approx((np.mean(shares), np.std(shares, ddof=1)), abs=1e-6)
    assert seed_spread(dict(reversed(scores.items()))) == found


def test_worlds_of_unlike_difficulty_are_not() -> None:
    """Rates that differ between seeds by a deviation of 0.2 leave chance a small share."""
    rng = np.random.default_rng(5)
    found = seed_spread({seed: (int(rng.binomial(178, rng.choice([0.2, 0.6]))), 178) for seed in range(20)})
    assert found.chance_share is not None and found.chance_share < 0.1
    assert found.chance_deviation == pytest.approx((0.4 * 0.6 / 178) ** 0.5, abs=0.002)


def test_chance_counts_each_seeds_own_tasks() -> None:
    """By hand: 1 of 2 and 3 of 4 pool to 4 of 6, p(1-p) is 4/15, and the mean of 1/2 and 1/4 makes it 1/10."""
    found = seed_spread({1: (1, 2), 2: (3, 4)})
    assert found.chance_deviation == round(0.1**0.5, 6) and found.deviation == round((1 / 32) ** 0.5, 6)
    assert found.chance_share == 1  # never more than the whole


def test_what_does_not_vary_needs_no_explanation() -> None:
    """Equal scores have no share; one seed has no deviation either; an end of the scale no chance."""
    same, one, sure = seed_spread({1: (3, 6), 2: (3, 6)}), seed_spread({1: (3, 6)}), seed_spread({1: (6, 6), 2: (6, 6)})
    assert (same.deviation, same.chance_share, same.mean) == (0, None, 0.5) and same.chance_deviation
    assert (one.seeds, one.deviation, one.chance_deviation, one.chance_share) == (1, None, None, None)
    assert (sure.chance_deviation, sure.chance_share) == (0, None)


@pytest.mark.parametrize("scores", [{}, {1: (1, 0)}, {1: (-1, 5)}, {1: (3, 5), 2: (6, 5)}])
def test_what_is_no_score_is_refused(scores: dict[int, tuple[int, int]]) -> None:
    """No seed at all, and counts that are no proportion."""
    with pytest.raises(ValueError, match=r"a spread needs a score|is no proportion"):
        seed_spread(scores)
