"""Intervals against their textbook values, other people's computations, and their own laws."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from caia_replay.scoring.interval import (
    FEWEST_CLUSTERS,
    MOST_CLUSTERS,
    majority_interval,
    over_attempts,
    over_projects,
    wilson,
)
from caia_replay.scoring.metrics import ScoredRun, majority_share, pass_at_1

Z = 1.959963984540054
counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def task(name: str, right: int, runs: int, project: str | None = None) -> list[ScoredRun]:
    """A task's runs, the first ``right`` of them right."""
    return [
        ScoredRun(name, "overlap", n, n < right, "1" if n < right else "2", "answered", project=project)
        for n in range(runs)
    ]


@st.composite
def suites(draw: st.DrawFn) -> list[ScoredRun]:
    """Some tasks with one to five runs each, about up to eight projects or none."""
    runs: list[ScoredRun] = []
    for number in range(draw(st.integers(1, 25))):
        many = draw(st.integers(1, 5))
        project = draw(st.none() | st.sampled_from("ABCDEFGH"))
        runs += task(f"t{number}", draw(st.integers(0, many)), many, project)
    return runs


@settings(max_examples=200)
@given(counts)
def test_wilson_is_scipys(case: tuple[int, int]) -> None:
    """Six decimals of scipy's score interval without continuity correction."""
    found = binomtest(*case).proportion_ci(method="wilson")
    assert wilson(*case) == pytest.approx((found.low, found.high), abs=5.1e-7)


@settings(max_examples=100)
@given(counts)
def test_it_is_symmetric_and_holds_the_share(case: tuple[int, int]) -> None:
    """Counting failures instead mirrors the interval, and the share lies inside."""
    successes, trials = case
    low, high = wilson(successes, trials)
    assert (round(1 - high, 6), round(1 - low, 6)) == wilson(trials - successes, trials)
    assert 0 <= low <= successes / trials + 1e-6 and successes / trials - 1e-6 <= high <= 1


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (0, 10, (0.0, 0.277533)),
        (10, 10, (0.722467, 1.0)),
        (5, 10, (0.236593, 0.763407)),
        (120, 178, (0.602257, 0.738699)),
    ],
)
def test_known_values(successes: int, trials: int, expected: tuple[float, float]) -> None:
    """Hand-computed ends; 120 of 178 is GPT-5's published majority with tools."""
    assert wilson(successes, trials) == expected


def test_no_trials_is_no_proportion() -> None:
    """Nothing has no interval."""
    for successes, trials in ((0, 0), (-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="no proportion"):
            wilson(successes, trials)


def test_the_majority_interval_counts_tasks() -> None:
    """Two tasks, one won: the interval of 1 of 2; None when nothing was scored."""
    assert majority_interval(task("a", 5, 5) + task("b", 0, 5)) == wilson(1, 2)
    assert majority_interval([]) is None


@settings(max_examples=100, deadline=None)
@given(suites(), st.randoms(use_true_random=False))
def test_an_interval_is_a_function_of_the_set_of_runs(runs: list[ScoredRun], random: object) -> None:
    """Neither the order of runs nor the names of tasks and projects, which order them, change a byte."""
    renamed = [
        ScoredRun(run.task[::-1] + "x", "overlap", run.attempt, run.correct, run.reading, run.stop,
                  project=run.project and chr(200 - ord(run.project)))
        for run in runs
    ]  # fmt: skip
    random.shuffle(renamed)  # type: ignore[attr-defined]
    assert over_projects(renamed, resamples=99) == over_projects(runs, resamples=99)
    assert over_attempts(renamed, deterministic=False) == over_attempts(runs, deterministic=False)


@settings(max_examples=100, deadline=None)
@given(suites())
def test_the_figure_lies_inside(runs: list[ScoredRun]) -> None:
    """Both intervals lie within 0 and 1, hold Pass@1, and have room to both sides unless it is at an end."""
    value = pass_at_1(runs)
    assert value is not None
    for ends in (over_projects(runs, resamples=99), over_attempts(runs, deterministic=False)):
        if ends is not None:
            assert 0 <= ends[0] <= value <= ends[1] <= 1
            assert (ends[0] < value or value == 0) and (value < ends[1] or value == 1)


def test_tasks_of_their_own_won_or_lost_give_at_least_wilsons_interval() -> None:
    """One run a task and no project: the shape is Wilson's, for one trial less, never narrower than the normal's."""
    for right in (0, 3, 20, 38, 40):
        runs = [run for number in range(40) for run in task(f"t{number}", number < right, 1)]
        low, high = wilson(right, 40)
        found = over_projects(runs)
        assert found is not None and found[0] <= low and high <= found[1]
        assert high - low <= found[1] - found[0] <= (high - low) * 1.1


def test_it_is_the_bootstrap_that_numpy_computes() -> None:
    """The ends equal a computation in floats over the same draws, by the formulas of its docstring."""
    runs, clusters = [], []
    for number in range(30):
        right = [min(5, max(0, number * 3 % 6 + at - 1)) for at in range(number * 7 % 5 + 1)]
        clusters.append((sum(right) / 5, len(right)))
        runs += [run for at, many in enumerate(right) for run in task(f"{number}-{at}", many, 5, f"p{number}")]
    s, n = np.array(sorted(clusters)).T
    chance = Random(3)
    drawn = np.array([[int(chance.random() * 30) for _ in range(30)] for _ in range(1999)])
    share = s.sum() / n.sum()
    spread = share * (1 - share)
    trials = spread / (30 / 29 * ((s - share * n) ** 2).sum() / n.sum() ** 2)
    ss, nn = s[drawn], n[drawn]
    each = ss.sum(1) / nn.sum(1)
    variance = 30 / 29 * ((ss - each[:, None] * nn) ** 2).sum(1) / nn.sum(1) ** 2
    pivots = np.sort((each - share) * np.sqrt(each * (1 - each) / variance / spread))
    assert pivots[1949] > Z < -pivots[49]
    ends = [
        (share + q * q / 2 / trials + side * q * np.sqrt(spread / trials + q * q / 4 / trials**2))
        / (1 + q * q / trials)
        for q, side in ((pivots[1949], -1), (-pivots[49], 1))
    ]
    assert over_projects(runs, seed=3) == pytest.approx(ends, abs=1e-6)


def test_tasks_that_go_together_count_less() -> None:
    """Forty tasks of ten projects, alike within each, give a wider interval than forty of their own."""
    alone = [run for number in range(40) for run in task(f"t{number:02}", number // 4 % 2 * 5, 5)]
    together = [run for number in range(40) for run in task(f"t{number:02}", number // 4 % 2 * 5, 5, str(number // 4))]
    narrow, wide = over_projects(alone), over_projects(together)
    assert narrow is not None and wide is not None
    assert wide[1] - wide[0] > 1.8 * (narrow[1] - narrow[0])


def test_another_figure_another_interval() -> None:
    """The majority can be clustered too: three of five right on every other task is half, and never 0.3."""
    runs = [run for number in range(20) for run in task(f"t{number}", 3 * (number % 2), 5)]
    of_majority, of_runs = over_projects(runs, majority_share), over_projects(runs)
    assert of_majority is not None and of_runs is not None
    assert of_majority[0] < 0.5 < of_majority[1] and of_runs[0] < 0.3 < of_runs[1] < of_majority[1]


def test_too_few_clusters_have_no_interval() -> None:
    """One cluster under the limit there is none, however many tasks it holds; at the limit there is one."""
    runs = [
        run for number in range(20) for run in task(f"t{number}", number % 6, 5, f"p{number % (FEWEST_CLUSTERS - 1)}")
    ]
    assert over_projects(runs) is None and over_projects([]) is None
    assert over_projects(runs + task("more", 2, 5)) is not None


def test_beyond_many_clusters_the_normals_quantiles_serve() -> None:
    """One cluster more than are resampled: the interval hardly moves."""
    runs = [run for number in range(MOST_CLUSTERS) for run in task(f"t{number}", number * 7 % 6, 5)]
    resampled, direct = over_projects(runs), over_projects(runs + task("more", 3, 5))
    assert resampled is not None and direct == pytest.approx(resampled, abs=0.002)


def test_where_nothing_differs_the_clusters_are_the_trials() -> None:
    """Ten projects all right, with any number of tasks: Wilson's interval of 10 of 10, not a point."""
    runs = [run for number in range(30) for run in task(f"t{number}", 5, 5, f"p{number % 10}")]
    assert over_projects(runs) == wilson(10, 10)


def test_attempts_of_a_deterministic_model_are_no_sample() -> None:
    """It has no interval over attempts, whatever its runs; over projects it has one."""
    runs = [run for number in range(10) for run in task(f"t{number}", number % 2 * 5, 5)]
    assert over_attempts(runs, deterministic=True) is None and over_projects(runs) is not None
    assert over_attempts([], deterministic=False) is None


def test_over_attempts_by_hand() -> None:
    """Two tasks, 3 of 5 and 1 of 5: e = 2/5, v = (6/25 + 4/25)/4/4 = 1/40, so 0.24 / 0.025 = 9.6 trials."""
    share, trials = 0.4, 9.6
    reach = Z * (share * (1 - share) / trials + Z * Z / 4 / trials**2) ** 0.5
    ends = [(share + Z * Z / 2 / trials + side * reach) / (1 + Z * Z / trials) for side in (-1, 1)]
    assert over_attempts(task("a", 3, 5) + task("b", 1, 5), deterministic=False) == pytest.approx(ends, abs=1e-6)


def test_over_attempts_at_its_ends() -> None:
    """Tasks always right or always wrong count each run; a task run once is taken to vary the most it can."""
    assert over_attempts(task("a", 5, 5) + task("b", 0, 5), deterministic=False) == wilson(5, 10)
    assert over_attempts(task("a", 5, 5), deterministic=False) == wilson(5, 5)
    one, two = over_attempts(task("a", 2, 5) + task("b", 1, 1), deterministic=False), Fraction(7, 10)
    variance = (Fraction(6, 100) + Fraction(1, 4)) / 4
    trials = float(two * (1 - two) / variance)
    reach = Z * (0.21 / trials + Z * Z / 4 / trials**2) ** 0.5
    assert one is not None
    assert one[0] == pytest.approx((0.7 + Z * Z / 2 / trials - reach) / (1 + Z * Z / trials), abs=1e-6)


def test_unscored_runs_are_no_trials() -> None:
    """Runs without a verdict change no interval."""
    runs = [run for number in range(10) for run in task(f"t{number}", number % 6, 5)]
    more = [*runs, ScoredRun("t1", "overlap", 9, None, None, "model_fault"),
            ScoredRun("z", "overlap", 0, None, None, "world_fault")]  # fmt: skip
    assert over_projects(more, resamples=99) == over_projects(runs, resamples=99)
    assert over_attempts(more, deterministic=False) == over_attempts(runs, deterministic=False)
