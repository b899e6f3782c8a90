"""What a suite's score owes to having been seen: the gap between a suite and its twin, and what a seed alone changes.

A twin asks the same kinds of questions about a world that grew from another seed, so what was learnt by heart from the
original is wrong in it. The gap is the original's figure less the twin's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from caia_replay.scoring.interval import RESAMPLES, over_projects
from caia_replay.scoring.metrics import (
    Figure,
    ScoredRun,
    clustered,
    grouped,
    majority_share,
    rounded,
    share_right,
)

FEWEST_TASKS = 5
"""A category has a gap of its own from so many scored tasks on, in the original and in the twin."""

_GRID = 10**30


@dataclass(frozen=True, slots=True)
class Gap:
    """One figure in both suites, from 0 to 1, and the first less the second in percentage points, from -100 to 100.

    ``interval``: its ends at 95 %, in points; None where a side has too few projects (``over_projects``).
    """

    original: float
    twin: float
    points: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class TwinGap:
    """Both figures over ``tasks`` scored tasks about ``projects`` clusters, each of the original and of the twin."""

    tasks: tuple[int, int]
    projects: tuple[int, int]
    majority: Gap
    pass_at_1: Gap


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """A policy's score over worlds of several seeds: fractions from 0 to 1.

    ``deviation`` is the sample's standard deviation, ``chance_deviation`` the one that independent tasks of one common
    rate would show (binomial), and ``chance_share`` what of the observed variance that explains, at most 1. All three
    are None for one seed, and the share is None where the score does not vary.
    """

    seeds: int
    mean: float
    deviation: float | None
    least: float
    most: float
    chance_deviation: float | None
    chance_share: float | None


def twin_gap(original: Iterable[ScoredRun], twin: Iterable[ScoredRun], *, resamples: int = RESAMPLES) -> TwinGap | None:
    """The gap between two sets of runs, taken as independent samples of tasks; None when either has no scored task.

    Its interval joins those of ``over_projects`` by the method of Newcombe (1998, Statistics in Medicine 17, method
    10; for any intervals Zou and Donner 2008, ibid. 27): from d - sqrt((p - l)^2 + (u' - p')^2) to
    d + sqrt((u - p)^2 + (p' - l')^2), which never leaves -100 to 100. Tasks of a twin are about the same shapes as the
    original's, so that the two go together and the interval is rather too wide than too narrow.
    """
    sides = list(original), list(twin)
    groups = [list(grouped(side).values()) for side in sides]
    if not all(groups):
        return None
    return TwinGap(
        tasks=(len(groups[0]), len(groups[1])),
        projects=(len(clustered(groups[0])), len(clustered(groups[1]))),
        majority=_gap(sides, majority_share, resamples),
        pass_at_1=_gap(sides, share_right, resamples),
    )


def gap_by_category(
    original: Iterable[ScoredRun], twin: Iterable[ScoredRun], *, resamples: int = RESAMPLES
) -> dict[str, TwinGap]:
    """``twin_gap`` of each category that has ``FEWEST_TASKS`` scored tasks in both, in the order of their names."""
    sides = [_by_category(side) for side in (original, twin)]
    gaps = {
        name: twin_gap(sides[0][name], sides[1][name], resamples=resamples) for name in sides[0] if name in sides[1]
    }
    return {name: gap for name, gap in sorted(gaps.items()) if gap is not None and min(gap.tasks) >= FEWEST_TASKS}


def seed_spread(scores_by_seed: Mapping[int, tuple[int, int]]) -> SeedSpread:
    """How a policy's score varies with the seed of its world; each score as (right tasks, scored tasks).

    The binomial takes every task of every seed as a toss with the pooled rate. Tasks that are always right or always
    wrong vary less than that, tasks about one project more: a share of 1 says that nothing but chance is needed, not
    that chance was all. Raises ``ValueError`` for no seed, and for counts that are no proportion.
    """
    for seed, (right, tasks) in scores_by_seed.items():
        if tasks < 1 or not 0 <= right <= tasks:
            raise ValueError(f"seed {seed}: {right} of {tasks} is no proportion")
    if not scores_by_seed:
        raise ValueError("a spread needs a score")
    scores = [Fraction(right, tasks) for right, tasks in scores_by_seed.values()]
    many, mean = len(scores), sum(scores, Fraction(0)) / len(scores)
    ends = rounded(min(scores)), rounded(max(scores))
    if many == 1:
        return SeedSpread(many, rounded(mean), None, *ends, None, None)
    variance = sum(((score - mean) ** 2 for score in scores), Fraction(0)) / (many - 1)
    chance = _binomial(list(scores_by_seed.values()))
    share = rounded(min(Fraction(1), chance / variance)) if variance else None
    return SeedSpread(many, rounded(mean), rounded(_root(variance)), *ends, rounded(_root(chance)), share)


def _by_category(runs: Iterable[ScoredRun]) -> dict[str, list[ScoredRun]]:
    found: dict[str, list[ScoredRun]] = {}
    for run in runs:
        found.setdefault(run.category, []).append(run)
    return found


def _gap(sides: tuple[list[ScoredRun], list[ScoredRun]], figure: Figure, resamples: int) -> Gap:
    first, second = (_mean(side, figure) for side in sides)
    own, other = (over_projects(side, figure, resamples=resamples) for side in sides)
    interval = None
    if own is not None and other is not None:
        (low, high), (twin_low, twin_high) = map(_millionths, own), map(_millionths, other)
        below = _root((first - low) ** 2 + (twin_high - second) ** 2)
        above = _root((high - first) ** 2 + (second - twin_low) ** 2)
        interval = rounded(100 * (first - second - below)), rounded(100 * (first - second + above))
    return Gap(rounded(first), rounded(second), rounded(100 * (first - second)), interval)


def _mean(runs: Iterable[ScoredRun], figure: Figure) -> Fraction:
    figures = [figure(group) for group in grouped(runs).values()]
    return sum(figures, Fraction(0)) / len(figures)


def _millionths(end: float) -> Fraction:
    """The decimal an end was rounded to, not the nearest binary fraction."""
    return Fraction(round(end * 10**6), 10**6)


def _binomial(counts: list[tuple[int, int]]) -> Fraction:
    """The variance of scores that chance gives on average, from the unbiased estimate of the pooled rate's p(1-p)."""
    right, tasks = sum(right for right, _ in counts), sum(tasks for _, tasks in counts)
    spread = Fraction(right * (tasks - right), tasks * (tasks - 1))
    return spread * sum((Fraction(1, tasks) for _, tasks in counts), Fraction(0)) / len(counts)


def _root(value: Fraction) -> Fraction:
    """The square root, cut to thirty decimals by integer arithmetic."""
    return Fraction(isqrt(value.numerator * _GRID**2 // value.denominator), _GRID)
