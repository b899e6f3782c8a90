"""Intervals and the power to tell apart, against textbooks, other people's computations and their own laws."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest, norm

from caia_replay.scoring.detectable import FEWEST_RANKED, mcnemar_power, minimum_detectable_difference, rankable
from caia_replay.scoring.exact_rate import probit_ends, share_below
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


@given(counts)
def test_wilson_is_scipys(case: tuple[int, int]) -> None:
    """Six decimals of scipy's score interval without continuity correction."""
    found = binomtest(*case).proportion_ci(method="wilson")
    assert wilson(*case) == pytest.approx((found.low, found.high), abs=5.1e-7)


def test_no_trials_is_no_proportion() -> None:
    """Nothing has no interval; of two tasks, one won, the majority's is that of 1 of 2, and None of nothing."""
    for successes, trials in ((0, 0), (-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="no proportion"):
            wilson(successes, trials)
    assert majority_interval(task("a", 5, 5) + task("b", 0, 5)) == wilson(1, 2)
    assert majority_interval([]) is None


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
    over, attempts = over_projects(runs, resamples=99), over_attempts(runs, deterministic=False)
    for others in (renamed, [*renamed, *unscored]):
        assert over_projects(others, resamples=99) == over
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


def test_too_few_clusters_have_no_interval() -> None:
    """One cluster under the limit there is none, however many tasks it holds; at the limit there is one."""
    runs = [
        run for number in range(20) for run in task(f"t{number}", number % 6, 5, f"p{number % (FEWEST_CLUSTERS - 1)}")
    ]
    assert over_projects(runs) is None and over_projects([]) is None
    assert over_projects(runs + task("more", 2, 5)) is not None


@pytest.mark.check
def test_beyond_many_clusters_the_normals_quantiles_serve() -> None:
    """One cluster more than are resampled: the interval hardly moves."""
    runs = [run for number in range(MOST_CLUSTERS) for run in task(f"t{number}", number * 7 % 6, 5)]
    resampled, direct = over_projects(runs), over_projects(runs + task("more", 3, 5))
    assert resampled is not None and direct == pytest.approx(resampled, abs=0.002)


def test_where_nothing_differs_the_clusters_are_the_trials() -> None:
    """Ten projects all right or all wrong, with any number of tasks: Wilson's interval of 10 of 10, not a point."""
    runs = [run for number in range(30) for run in task(f"t{number}", 5, 5, f"p{number % 10}")]
    assert over_projects(runs) == wilson(10, 10)
    wrong = [run for number in range(30) for run in task(f"t{number}", 0, 5, f"p{number % 10}")]
    assert over_projects(wrong) == wilson(0, 10)


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


def their_power(tasks: int, difference: float, discordant: float, alpha: float) -> float:
    """The same by scipy: over every number of discordant tasks and every split of it."""
    found = 0.0
    for number in range(tasks + 1):
        splits = np.arange(number + 1)
        p_values = np.minimum(1, 2 * binom.cdf(np.minimum(splits, number - splits), number, 0.5))
        chosen = binom.pmf(splits, number, (1 + difference / discordant) / 2)
        found += binom.pmf(number, tasks, discordant) * chosen[p_values <= alpha * (1 + 1e-9)].sum()
    return found


@pytest.mark.parametrize(("tasks", "difference", "discordant", "alpha"), [
    (6, "1", "1", "0.05"), (7, "0.3", "0.4", "0.05"), (40, "0.2", "0.5", "0.05"), (40, "0", "0.5", "0.05"),
    (178, "0.1", "0.3", "0.05"), (178, "0.153", "0.5", "0.01"), (30, "0.25", "0.25", "0.2"),
])  # fmt: skip
def test_power_is_what_scipys_binomials_give(tasks: int, difference: str, discordant: str, alpha: str) -> None:
    """To ten decimals, without a difference and with the largest too."""
    found = mcnemar_power(tasks, Fraction(difference), Fraction(discordant), Fraction(alpha))
    theirs = their_power(tasks, float(difference), float(discordant), float(alpha))
    assert float(found) == pytest.approx(theirs, abs=1e-10)


@pytest.mark.check
def test_the_difference_is_the_first_that_is_found_often_enough() -> None:
    """One thousandth less has too little power, by an independent computation; more power wants more difference."""
    for tasks, discordant in ((50, "0.5"), (100, "0.3"), (178, "0.5")):
        least = minimum_detectable_difference(tasks, Fraction(discordant))
        assert least is not None
        assert their_power(tasks, float(least), float(discordant), 0.05) >= 0.8
        assert their_power(tasks, float(least) - 0.001, float(discordant), 0.05) < 0.8
    usual, often = (minimum_detectable_difference(60, power=Fraction(power, 10)) for power in (8, 9))
    assert usual is not None and often is not None and usual < often


def test_caias_size_and_its_smallest_category() -> None:
    """178 tasks tell 15.3 points apart where two models have nothing in common, 11.8 where they differ on 30 %."""
    assert minimum_detectable_difference(178) == Fraction(153, 1000)
    assert minimum_detectable_difference(178, Fraction(3, 10)) == Fraction(118, 1000)
    assert minimum_detectable_difference(7) is None


@pytest.mark.parametrize(("tasks", "difference", "discordant", "alpha"), [
    (0, "0", "0.5", "0.05"), (5, "0.6", "0.5", "0.05"), (5, "0", "0", "0.05"), (5, "0", "1.1", "0.05"),
    (5, "0", "1", "1"),
])  # fmt: skip
def test_impossible_cases_are_refused(tasks: int, difference: str, discordant: str, alpha: str) -> None:
    """No tasks, more difference than discordance, shares that are none, a level that is none."""
    with pytest.raises(ValueError, match="cannot differ"):
        mcnemar_power(tasks, Fraction(difference), Fraction(discordant), Fraction(alpha))


def test_the_fewest_ranked_is_what_its_reason_says() -> None:
    """The first size at which an even share's interval reaches 20 points at most, as scipy has it too."""
    for size, narrow in ((FEWEST_RANKED - 1, False), (FEWEST_RANKED, True)):
        ends = wilson(size // 2, size)
        assert (ends[1] - ends[0] <= 0.4) == narrow
        theirs = binomtest(size // 2, size).proportion_ci(method="wilson")
        assert (theirs.high - theirs.low <= 0.4) == narrow


def test_caias_three_large_categories_may_be_ranked() -> None:
    """By its published sizes, and in the order of names; one large cell has nothing to be ranked against."""
    sizes = {"on-chain analysis": 77, "project discovery": 49, "tokenomics": 23, "overlap": 14, "trend analysis": 8,
             "general knowledge": 7}  # fmt: skip
    assert rankable(sizes) == ("on-chain analysis", "project discovery", "tokenomics")
    assert rankable({"a": 500, "b": FEWEST_RANKED - 1}) == () and rankable({}) == ()
    assert rankable({"b": FEWEST_RANKED, "a": FEWEST_RANKED}) == ("a", "b")
