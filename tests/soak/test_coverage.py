"""Intervals cover what they claim, and tests raise false alarms no oftener than they claim: on runs of known rates.

Tasks are drawn about as many projects, of the same sizes, as the shipped suite's. Each project has its own rate, from a
beta distribution whose spread makes two of its tasks so much alike as a case says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest
from scipy.stats import binomtest

from caia_replay.models.policies.known_rate import is_right, rate
from caia_replay.scoring.contamination import twin_gap
from caia_replay.scoring.effect import Difference, paired_effect
from caia_replay.scoring.interval import over_attempts, over_projects
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.scoring.paired import compare
from caia_replay.store.world_folder import open_world

REPLICATIONS, SAMPLE = 4_000, 8
ATTEMPTS = range(1, 6)
ALIKE = (0.0, 0.1, 0.3)
"""The correlation of two tasks of one project."""

RATES = (0.1, 0.5)
"""0.9 is 0.1 with right and wrong exchanged: the same intervals, mirrored."""
SHIPPED = Path(__file__).parents[2] / "cassettes/synthetic-178"

Ends = tuple[float, float] | None
Replication = Callable[[Random], tuple[Ends, float]]
"""Chance to an interval and the true value it should hold."""


@cache
def sizes() -> tuple[int, ...]:
    """How many tasks of the shipped suite are about each project."""
    folder = open_world(str(SHIPPED))
    tasks = [folder.task(name) for name in folder.suite.active()]
    return tuple(sorted(Counter(task.project or task.id for task in tasks).values(), reverse=True))


def spread(chance: Random, mean: float, alike: float) -> float:
    """A rate about ``mean`` with variance ``alike`` x mean (1 - mean)."""
    if not alike:
        return mean
    return chance.betavariate(mean * (1 / alike - 1), (1 - mean) * (1 / alike - 1))


def drawn(chance: Random, mean: float, alike: float) -> Iterator[tuple[str, str, float]]:
    """Project, task and the project's rate."""
    for project, size in enumerate(sizes()):
        own = spread(chance, mean, alike)
        yield from ((f"p{project}", f"{project}-{number}", own) for number in range(size))


def scored(task: str, attempt: int, right: bool, project: str | None = None) -> ScoredRun:
    """A run that answers 1 when it is right and 2 when not."""
    return ScoredRun(task, "overlap", attempt, right, "1" if right else "2", "answered", project=project)


def single_runs(chance: Random, mean: float, alike: float) -> list[ScoredRun]:
    """A run a task, as the majority is one verdict a task."""
    return [scored(task, 1, chance.random() < own, project) for project, task, own in drawn(chance, mean, alike)]


def five_runs(chance: Random, mean: float, alike: float) -> list[ScoredRun]:
    """Five runs a task, whose rate lies about its project's: half of what a task's runs vary by is the task's."""
    runs = []
    for project, task, own in drawn(chance, mean, alike):
        rate_of_task = spread(chance, min(max(own, 1e-6), 1 - 1e-6), 0.5)
        runs += [scored(task, at, chance.random() < rate_of_task, project) for at in ATTEMPTS]
    return runs


def uneven_runs(chance: Random, mean: float, alike: float) -> list[ScoredRun]:
    """One to five runs a task, all alike: exposed runs of a policy that does the same each time."""
    return [
        scored(task, at, right, project)
        for project, task, own in drawn(chance, mean, alike)
        for right in (chance.random() < own,)
        for at in range(chance.randint(1, 5))
    ]


def of_tasks(mean: float, alike: float) -> Replication:
    return lambda chance: (over_projects(single_runs(chance, mean, alike)), mean)


def of_means(mean: float, alike: float) -> Replication:
    return lambda chance: (over_projects(five_runs(chance, mean, alike)), mean)


def of_ratios(mean: float, alike: float) -> Replication:
    return lambda chance: (over_projects(uneven_runs(chance, mean, alike), by_run=True), mean)


def of_effects(mean: float, alike: float) -> Replication:
    """One arm less another whose rate is 1 - mean, or as much less as is left."""
    other = min(1 - mean, mean)

    def replication(chance: Random) -> tuple[Ends, float]:
        sides = zip(drawn(chance, mean, alike), drawn(chance, other, alike), strict=True)
        found = paired_effect(
            Difference(project, Fraction((chance.random() < own) - (chance.random() < theirs)))
            for (project, _, own), (_, _, theirs) in sides
        )
        assert found is not None and found.interval is not None
        return (float(found.interval[0]), float(found.interval[1])), mean - other

    return replication


def of_gaps(mean: float, alike: float) -> Replication:
    """A suite and its twin, whose rate is half as high."""

    def replication(chance: Random) -> tuple[Ends, float]:
        found = twin_gap(single_runs(chance, mean, alike), single_runs(chance, mean / 2, alike))
        assert found is not None
        return found.pass_at_1.interval, 50 * mean

    return replication


def of_attempts(chance: Random) -> tuple[Ends, float]:
    """policy/known-rate on forty tasks, played five times."""
    seed, names = chance.randrange(10**6), [f"task-{number}" for number in range(40)]
    runs = [scored(name, at, is_right(seed, name, at)) for name in names for at in ATTEMPTS]
    return over_attempts(runs, deterministic=False), float(sum(rate(seed, name) for name in names)) / 40


FIGURES = {"tasks": of_tasks, "means": of_means, "ratios": of_ratios, "effects": of_effects}
CASES: dict[str, Replication] = {
    **{
        f"{name}-{alike}-{mean}": make(mean, alike)
        for name, make in FIGURES.items()
        for alike, mean in product(ALIKE, RATES)
    },
    **{f"gaps-{alike}": of_gaps(0.5, alike) for alike in ALIKE},
    "attempts": of_attempts,
}


def held(name: str, replications: int) -> int:
    """How many of a case's intervals hold the true value."""
    count = 0
    for number in range(replications):
        ends, truth = CASES[name](Random(f"{name} {number}"))
        assert ends is not None
        count += ends[0] <= truth <= ends[1]
    print(f"{name}: {100 * count / replications:.2f} % of {replications}")
    return count


@pytest.mark.soak
@pytest.mark.parametrize("name", CASES)
def test_intervals_of_95_percent_cover_93_to_97(name: str) -> None:
    """Each case over 4,000 replications."""
    assert 0.93 <= held(name, REPLICATIONS) / REPLICATIONS <= 0.97


@pytest.mark.check
def test_a_sample_covers_as_much() -> None:
    """A few replications of all cases together cannot be told from such a rate."""
    found = binomtest(sum(held(name, SAMPLE) for name in CASES), SAMPLE * len(CASES))
    ends = found.proportion_ci(confidence_level=0.999)
    assert ends.low <= 0.97 and ends.high >= 0.93


@pytest.mark.check
def test_an_interval_that_ignores_projects_is_caught() -> None:
    """The same check fails where every task is taken for a project of its own."""
    count = 0
    for number in range(60):
        runs = single_runs(Random(number), 0.5, 0.3)
        ends = over_projects([scored(run.task, 1, run.correct is True) for run in runs])
        assert ends is not None
        count += ends[0] <= 0.5 <= ends[1]
    assert binomtest(count, 60).proportion_ci(confidence_level=0.999).high < 0.93


@pytest.mark.parametrize(
    "replications",
    [pytest.param(60, id="sample", marks=pytest.mark.check), pytest.param(2_000, id="full", marks=pytest.mark.soak)],
)
@pytest.mark.parametrize("alike", ALIKE)
def test_two_models_alike_are_seldom_told_apart(alike: float, replications: int) -> None:
    """At 5 %, no more than 5 % of the time, but for chance, however alike a project's tasks; a real gap is found."""
    alarms = found = 0
    for number in range(replications):
        chance = Random(f"{alike} {number}")
        first, second, better = (single_runs(chance, mean, alike) for mean in (0.4, 0.4, 0.8))
        same, unlike = compare(first, second), compare(better, first)
        assert same is not None and unlike is not None
        alarms += same.difference_p <= Fraction(1, 20)
        found += unlike.difference_p <= Fraction(1, 20)
    print(f"alike {alike}: {alarms} false alarms of {replications}, {found} gaps found")
    assert binomtest(alarms, replications).proportion_ci(confidence_level=0.999).low <= 0.05
    assert found > 0.7 * replications
