"""The interval of a gap between twins covers what it claims: on two suites of known rates, again and again."""

from __future__ import annotations

from random import Random

import pytest
from scipy.stats import binomtest

from caia_replay.models.policies.known_rate import RATES, is_right
from caia_replay.scoring.contamination import Gap, TwinGap, twin_gap
from caia_replay.scoring.metrics import ScoredRun

REPLICATIONS, SAMPLE = 2_000, 20
RESAMPLES = 399
FEW_RESAMPLES = 79
ATTEMPTS = range(1, 6)
LEAST, MOST = 0.93, 0.98


def known_rate_suite(seed: int, tasks: int) -> list[ScoredRun]:
    """What policy/known-rate scores on ``tasks`` solvable tasks of their own, whose rates have the mean one half."""
    return [
        ScoredRun(f"t{at}", "overlap", attempt, right, "1" if right else "2", "answered")
        for at in range(tasks)
        for attempt in ATTEMPTS
        for right in (is_right(seed, f"t{at}", attempt),)
    ]


def alike_suite(seed: str, projects: int, mean: float) -> list[ScoredRun]:
    """One to six tasks a project, whose rates scatter about their project's, and those about ``mean``."""
    chance, runs = Random(seed), []
    for project in range(projects):
        middle = chance.betavariate(8 * mean, 8 * (1 - mean))
        for number in range(chance.randint(1, 6)):
            own = chance.betavariate(4 * middle + 1e-9, 4 * (1 - middle) + 1e-9)
            for at in ATTEMPTS:
                right, name = chance.random() < own, f"{project}-{number}"
                runs.append(
                    ScoredRun(name, "overlap", at, right, "1" if right else "2", "answered", project=f"p{project}")
                )
    return runs


CASES: dict[str, tuple[int, float, int, float]] = {
    "no gap": (40, 0.5, 40, 0.5),
    "a gap of 30 points": (40, 0.6, 40, 0.3),
    "a smaller twin": (40, 0.5, 20, 0.5),
    "a gap of 40 points near the ends": (60, 0.6, 60, 0.2),
}
"""Projects and mean rate of the original, then of the twin."""


def gaps(name: str, number: int, resamples: int) -> tuple[TwinGap | None, float]:
    """One replication of a case, and its true gap of Pass@1 in points."""
    projects, rate, twin_projects, twin_rate = CASES[name]
    sides = alike_suite(f"a{number}", projects, rate), alike_suite(f"b{number}", twin_projects, twin_rate)
    return twin_gap(*sides, resamples=resamples), 100 * (rate - twin_rate)


def holds(gap: Gap, truth: float) -> bool:
    """Whether a gap's interval holds the true one."""
    assert gap.interval is not None
    return gap.interval[0] <= truth <= gap.interval[1]


def held(name: str, replications: int, resamples: int) -> int:
    """How many of a case's intervals hold the true gap of Pass@1."""
    count = 0
    for number in range(replications):
        found, truth = gaps(name, number, resamples)
        assert found is not None
        count += holds(found.pass_at_1, truth)
    print(f"{name}: {100 * count / replications:.2f} % of {replications}")
    return count


@pytest.mark.soak
@pytest.mark.parametrize("name", CASES)
def test_gaps_of_95_percent_cover_93_to_98(name: str) -> None:
    """Each case over 2,000 replications."""
    assert LEAST <= held(name, REPLICATIONS, RESAMPLES) / REPLICATIONS <= MOST


@pytest.mark.soak
def test_a_known_rate_has_no_gap_to_its_twin() -> None:
    """policy/known-rate on two suites of sixty tasks, by Pass@1 and by majority, over 2,000 replications."""
    assert sum(RATES) * 2 == len(RATES)
    counts = [0, 0]
    for number in range(REPLICATIONS):
        found = twin_gap(known_rate_suite(2 * number, 60), known_rate_suite(2 * number + 1, 60), resamples=RESAMPLES)
        assert found is not None
        counts[0] += holds(found.pass_at_1, 0)
        counts[1] += holds(found.majority, 0)
    print(f"known rates: Pass@1 {counts[0]}, majority {counts[1]} of {REPLICATIONS}")
    assert all(LEAST <= count / REPLICATIONS <= MOST for count in counts)


def test_a_sample_covers_as_much() -> None:
    """A few replications of all cases together cannot be told from such a rate."""
    found = binomtest(sum(held(name, SAMPLE, FEW_RESAMPLES) for name in CASES), SAMPLE * len(CASES))
    ends = found.proportion_ci(confidence_level=0.999)
    assert ends.low <= MOST and ends.high >= LEAST


def test_runs_taken_for_tasks_of_their_own_are_caught() -> None:
    """The same check fails where every run counts as a task about nothing else."""
    count = 0
    for number in range(SAMPLE):
        sides = [
            [
                ScoredRun(f"{run.task}-{run.attempt}", "overlap", 1, run.correct, run.reading, "answered")
                for run in alike_suite(f"{side}{number}", 25, 0.5)
            ]
            for side in "ab"
        ]
        found = twin_gap(sides[0], sides[1], resamples=FEW_RESAMPLES)
        assert found is not None
        count += holds(found.pass_at_1, 0)
    assert binomtest(count, SAMPLE).proportion_ci(confidence_level=0.999).high < LEAST
