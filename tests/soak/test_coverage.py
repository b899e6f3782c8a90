"""Intervals cover what they claim, and tests raise false alarms no oftener than they claim: on runs of known rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from random import Random

import pytest
from scipy.stats import binomtest

from caia_replay.models.policies.known_rate import RATES, is_right, rate
from caia_replay.scoring.interval import Interval, majority_interval, over_attempts, over_projects
from caia_replay.scoring.metrics import ScoredRun, majority_share
from caia_replay.scoring.paired import compare

REPLICATIONS, SAMPLE = 2_000, 60
RESAMPLES = 399
ATTEMPTS = range(1, 6)

Replication = Callable[[int], tuple[Interval | None, float]]
"""A number to an interval and the true value it should hold."""


def scored(task: str, attempt: int, right: bool, project: str | None = None) -> ScoredRun:
    """A run that answers 1 when it is right and 2 when not."""
    return ScoredRun(task, "overlap", attempt, right, "1" if right else "2", "answered", project=project)


def drawn_suite(seed: int, tasks: int) -> list[ScoredRun]:
    """What policy/known-rate scores on ``tasks`` solvable tasks of their own."""
    names = [f"task-{number}" for number in range(tasks)]
    return [scored(name, attempt, is_right(seed, name, attempt)) for name in names for attempt in ATTEMPTS]


def alike_suite(seed: int, projects: int, mean: float) -> list[ScoredRun]:
    """One to eight tasks a project, whose rates scatter about their project's, and those about ``mean``."""
    chance, runs = Random(seed), []
    for project in range(projects):
        middle = chance.betavariate(8 * mean, 8 * (1 - mean))
        for number in range(chance.randint(1, 8)):
            own = chance.betavariate(4 * middle + 1e-9, 4 * (1 - middle) + 1e-9)
            runs += [scored(f"{project}-{number}", at, chance.random() < own, f"p{project}") for at in ATTEMPTS]
    return runs


def mean_majority(rates: Sequence[Fraction]) -> float:
    """How likely three of five runs are right, on average over tasks of these rates."""
    return float(sum(comb(5, c) * p**c * (1 - p) ** (5 - c) for p in rates for c in (3, 4, 5)) / len(rates))


def wilson_of_majority(number: int) -> tuple[Interval | None, float]:
    return majority_interval(drawn_suite(number, 178)), mean_majority(RATES)


def clustered_majority_of_own_tasks(number: int) -> tuple[Interval | None, float]:
    return over_projects(drawn_suite(number, 60), majority_share, resamples=RESAMPLES), mean_majority(RATES)


def pass_at_1_of_own_tasks(number: int) -> tuple[Interval | None, float]:
    return over_projects(drawn_suite(number, 60), resamples=RESAMPLES), 0.5


def pass_at_1_over_attempts(number: int) -> tuple[Interval | None, float]:
    rates = [rate(number, f"task-{at}") for at in range(40)]
    return over_attempts(drawn_suite(number, 40), deterministic=False), float(sum(rates) / len(rates))


def pass_at_1_of_projects(projects: int, mean: float) -> Replication:
    return lambda number: (over_projects(alike_suite(number, projects, mean), resamples=RESAMPLES), mean)


CASES: dict[str, Replication] = {
    "Wilson, majority, 178 tasks": wilson_of_majority,
    "bootstrap, majority, 60 tasks": clustered_majority_of_own_tasks,
    "bootstrap, Pass@1, 60 tasks": pass_at_1_of_own_tasks,
    "attempts, Pass@1, 40 tasks": pass_at_1_over_attempts,
    "bootstrap, Pass@1, 20 projects, 0.5": pass_at_1_of_projects(20, 0.5),
    "bootstrap, Pass@1, 40 projects, 0.5": pass_at_1_of_projects(40, 0.5),
    "bootstrap, Pass@1, 40 projects, 0.2": pass_at_1_of_projects(40, 0.2),
    "bootstrap, Pass@1, 40 projects, 0.85": pass_at_1_of_projects(40, 0.85),
}


def held(name: str, replications: int) -> int:
    """How many of a case's intervals hold the true value."""
    count = 0
    for number in range(replications):
        ends, truth = CASES[name](number)
        assert ends is not None
        count += ends[0] <= truth <= ends[1]
    print(f"{name}: {100 * count / replications:.2f} % of {replications}")
    return count


@pytest.mark.soak
@pytest.mark.parametrize("name", CASES)
def test_intervals_of_95_percent_cover_93_to_97(name: str) -> None:
    """Each case over 2,000 replications."""
    assert 0.93 <= held(name, REPLICATIONS) / REPLICATIONS <= 0.97


@pytest.mark.check
def test_a_sample_covers_as_much() -> None:
    """A few replications of all cases together cannot be told from such a rate."""
    found = binomtest(sum(held(name, SAMPLE) for name in CASES), SAMPLE * len(CASES))
    ends = found.proportion_ci(confidence_level=0.999)
    assert ends.low <= 0.97 and ends.high >= 0.93


def test_an_interval_that_ignores_projects_is_caught() -> None:
    """The same check fails for Wilson's interval over runs, as if all of them were independent."""
    count = 0
    for number in range(SAMPLE):
        alone = [scored(f"{run.task}-{run.attempt}", 1, run.correct is True) for run in alike_suite(number, 40, 0.5)]
        ends = majority_interval(alone)
        assert ends is not None
        count += ends[0] <= 0.5 <= ends[1]
    assert binomtest(count, SAMPLE).proportion_ci(confidence_level=0.999).high < 0.93


@pytest.mark.parametrize(
    "replications",
    [
        pytest.param(SAMPLE, id="sample"),
        pytest.param(REPLICATIONS, id="full", marks=pytest.mark.soak),
    ],
)
def test_two_models_alike_are_seldom_told_apart(replications: int) -> None:
    """At 5 %, by either paired test, no more than 5 % of the time, but for chance; and a real difference is found."""
    means, majorities, found = 0, 0, 0
    for number in range(replications):
        chance = Random(number)
        first, second, better = [], [], []
        for project in range(40):
            for task in range(chance.randint(1, 4)):
                rates = chance.random(), chance.random()
                name = f"{project}-{task}"
                for at in ATTEMPTS:
                    first.append(scored(name, at, chance.random() < rates[0], f"p{project}"))
                    second.append(scored(name, at, chance.random() < rates[1]))
                    better.append(scored(name, at, chance.random() < rates[1] + 0.25))
        alike, unlike = compare(first, second), compare(better, first)
        assert alike is not None and unlike is not None and alike.counted
        means += alike.difference_p <= Fraction(1, 20)
        majorities += alike.majority_p <= Fraction(1, 20)
        found += unlike.difference_p <= Fraction(1, 20)
    print(f"false alarms of {replications}: {means} by means, {majorities} by majorities; found {found}")
    for alarms in (means, majorities):
        assert binomtest(alarms, replications).proportion_ci(confidence_level=0.999).low <= 0.05
    assert found > 0.7 * replications
