"""Intervals, against textbooks, other people's computations and their own laws."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, norm, t

from caia_replay.scoring.exact_rate import probit_ends, share_below
from caia_replay.scoring.interval import effective, over_attempts, over_projects, rankable
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


@settings(max_examples=50)
@given(suites(), st.randoms(use_true_random=False))
def test_an_interval_is_a_function_of_the_set_of_scored_runs(runs: list[ScoredRun], random: object) -> None:
    """Order, names of tasks and projects, and runs without a verdict change no byte; both ends hold Pass@1."""
    renamed = [
        ScoredRun(run.task[::-1] + "x", "overlap", run.attempt, run.correct, run.reading, run.stop,
                  project=run.project and chr(200 - ord(run.project)))
        for run in runs
    ]  # fmt: skip
    unscored = [ScoredRun(runs[0].task[::-1] + "x", "overlap", 9, None, None, "model_fault", project=None)]
    unscored += [ScoredRun("z", "overlap", 0, None, None, "world_fault")]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    value = pass_at_1(runs)
    over, attempts = over_projects(runs), over_attempts(runs, deterministic=False)
    for others in (renamed, [*renamed, *unscored]):
        assert over_projects(others) == over
        assert over_attempts(others, deterministic=False) == attempts
    for ends in (over, attempts):
        if ends is not None and value is not None:
            assert 0 <= ends[0] <= value <= ends[1] <= 1
            assert (ends[0] < value or value == 0) and (value < ends[1] or value == 1)


def test_another_figure_has_another_interval_and_a_deterministic_model_none_over_attempts() -> None:
    """Three of five right on every other task: half of the majority, 0.3 of the runs; equal runs are no sample."""
    runs = [run for number in range(20) for run in task(f"t{number}", 3 * (number % 2), 5)]
    of_majority, of_runs = over_projects(runs, majority_share), over_projects(runs)
    assert of_majority is not None and of_runs is not None
    assert of_majority[0] < 0.5 < of_majority[1] and of_runs[0] < 0.3 < of_runs[1] < of_majority[1]
    assert over_attempts(runs, deterministic=True) is None and over_attempts([], deterministic=False) is None


SIZES = [26, 22, 20, 19, 10, 9, 8, 6, 6, 4, 4, *[3] * 4, *[2] * 10, *[1] * 12]
"""How many tasks of synthetic-178 are about each project."""


def wilson(share: float, trials: float, quantile: float = Z) -> list[float]:
    """Wilson's interval by the textbook's formula, in floats."""
    reach = quantile * (share * (1 - share) / trials + quantile**2 / 4 / trials**2) ** 0.5
    middle = share + quantile**2 / 2 / trials
    return [(middle + side * reach) / (1 + quantile**2 / trials) for side in (-1, 1)]


def test_it_is_what_its_formula_gives() -> None:
    """The shipped suite's projects, rates that differ by project: the ends equal a computation in floats by scipy."""
    chance, runs, own = Random(3), list[ScoredRun](), list[np.ndarray]()
    for number, size in enumerate(SIZES):
        rate = chance.betavariate(1, 1.5)
        right = [sum(chance.random() < rate for _ in range(5)) for _ in range(size)]
        own.append(np.array(right) / 5)
        runs += [run for at, many in enumerate(right) for run in task(f"{number}-{at}", many, 5, f"p{number}")]
    every, squares = np.concatenate(own), sum(size**2 for size in SIZES)
    within = sum(((values - values.mean()) ** 2).sum() for values in own) / (178 - 37)
    between = sum(len(values) * (values.mean() - every.mean()) ** 2 for values in own)
    variance = within / 178 + (between - 36 * within) / (178 - squares / 178) * squares / 178**2
    share = every.mean()
    ends = wilson(share, share * (1 - share) / variance, t.ppf(0.975, 178**2 / squares - 1))
    assert over_projects(runs) == pytest.approx(ends, abs=1e-5)
    assert float(effective(SIZES)) == pytest.approx(13.44, abs=0.005) and effective([]) == 0
    # The same runs as single tasks, every run weighing alike, where all tasks have as many.
    assert over_projects(runs, by_run=True) == over_projects(runs)


def test_tasks_less_alike_than_others_are_held_for_chance() -> None:
    """In each of twenty projects half is right: no less than 0.7 of what independent tasks would vary by."""
    runs = [run for number in range(20) for at in range(4) for run in task(f"{number}-{at}", at % 2, 1, f"p{number}")]
    variance = 0.7 * 0.25 / 79
    assert over_projects(runs) == pytest.approx(wilson(0.5, 0.25 / variance, t.ppf(0.975, 19)), abs=1e-5)


def test_too_few_clusters_have_no_interval() -> None:
    """Four projects have none, however many tasks; nor five of which one has nearly all; five of one size have."""
    four = [run for number in range(20) for run in task(f"t{number}", number % 6, 5, f"p{number % 4}")]
    uneven = [run for number in range(36) for run in task(f"t{number}", number % 6, 5, f"p{max(number - 30, 0)}")]
    assert over_projects(four) is None and over_projects(uneven) is None and over_projects([]) is None
    assert over_projects(four + [run for at in range(5) for run in task(f"more{at}", at, 5, "p")]) is not None


def test_where_nothing_differs_the_clusters_are_the_trials() -> None:
    """Ten projects all right or all wrong, with any number of tasks: the interval of 10 of 10, not a point."""
    for right, share in ((5, 1), (0, 0)):
        runs = [run for number in range(30) for run in task(f"t{number}", right, 5, f"p{number % 10}")]
        assert over_projects(runs) == pytest.approx(wilson(share, 10, t.ppf(0.975, 9)), abs=1e-5)


def test_parts_are_ranked_where_zero_is_left_out() -> None:
    """Pairs, the better part first; equal parts, and a part without an interval, are in none."""
    parts = {
        "a": [run for at in range(40) for run in task(f"a{at}", 1, 5)],
        "b": [run for at in range(40) for run in task(f"b{at}", 4, 5)],
        "c": [run for at in range(40) for run in task(f"c{at}", 3, 5)],
        "d": [run for at in range(4) for run in task(f"d{at}", 5, 5)],
    }
    assert rankable(parts) == [["b", "a"], ["c", "a"]] and rankable({}) == []


def test_over_attempts_by_hand() -> None:
    """Two tasks, 3 of 5 and 1 of 5: e = 2/5, v = (6/25 + 4/25)/4/4 = 1/40, so 0.24 / 0.025 = 9.6 trials."""
    share, trials = 0.4, 9.6
    found = over_attempts(task("a", 3, 5) + task("b", 1, 5), deterministic=False)
    assert found == pytest.approx(wilson(share, trials), abs=1e-6)


def test_over_attempts_at_its_ends() -> None:
    """Tasks always right or always wrong count each run; a task run once is taken to vary the most it can."""
    for runs, share, trials in ((task("a", 5, 5) + task("b", 0, 5), 0.5, 10), (task("a", 5, 5), 1, 5)):
        assert over_attempts(runs, deterministic=False) == pytest.approx(wilson(share, trials), abs=1e-6)
    variance = (Fraction(6, 100) + Fraction(1, 4)) / 4
    found = over_attempts(task("a", 2, 5) + task("b", 1, 1), deterministic=False)
    assert found == pytest.approx(wilson(0.7, float(Fraction(21, 100) / variance)), abs=1e-6)


@given(counts, st.sampled_from((0.05, 0.1, 0.01)))
def test_the_ends_are_those_of_the_beta_distribution(pair: tuple[int, int], outside: float) -> None:
    """As another implementation has them; unbounded where nothing or everything succeeded."""
    successes, trials = pair
    low, high = probit_ends(successes, trials, outside)
    assert (low == -inf, high == inf) == (successes == 0, successes == trials)
    if successes:
        assert low == pytest.approx(norm.ppf(beta.ppf(outside / 2, successes, trials - successes + 1)), abs=1e-7)
    if successes < trials:
        assert high == pytest.approx(norm.ppf(beta.ppf(1 - outside / 2, successes + 1, trials - successes)), abs=1e-7)


@pytest.mark.parametrize(("successes", "trials", "outside"), [(0, 0, 0.05), (-1, 3, 0.05), (4, 3, 0.05), (1, 2, 0.5)])
def test_what_is_no_rate_is_refused(successes: int, trials: int, outside: float) -> None:
    """No trials, too many successes, a share of half."""
    with pytest.raises(ValueError, match="is no rate"):
        probit_ends(successes, trials, outside)


def test_the_share_below_is_exact_far_out() -> None:
    """At -20 it is as the logarithm of the tail says, not 0."""
    assert share_below(-20.0) == pytest.approx(norm.cdf(-20.0), rel=1e-9) and share_below(-20.0) > 0
    assert share_below(0.0) == 0.5
