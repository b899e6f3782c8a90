"""What a suite's score owes to having been seen: the gap between a suite and its twin, and what a seed alone changes.

A twin asks the same kinds of questions about a world that grew from another seed, so what was learnt by heart from the
original is wrong in it. The gap is the original's figure less the twin's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from caia_replay.scoring.interval import difference_of, estimate, root
from caia_replay.scoring.metrics import (
    Figure,
    ScoredRun,
    clustered,
    complete,
    grouped,
    majority_share,
    parts,
    rounded,
    share_right,
)

FEWEST_TASKS = 5
"""A category has a gap of its own from so many scored tasks on, in the original and in the twin."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One figure in both suites, from 0 to 1, and the first less the second in percentage points, from -100 to 100.

    ``interval``: its ends at 95 %, in points; None where a side has too few projects (``interval.estimate``).
    """

    original: float
    twin: float
    points: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class TwinGap:
    """Both figures over ``tasks`` scored tasks about ``projects`` clusters, each of the original and of the twin.
    ``majority`` is over those whose runs were all scored, and None where a side has no such task."""

    tasks: tuple[int, int]
    projects: tuple[int, int]
    majority: Gap | None
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


def twin_gap(original: Iterable[ScoredRun], twin: Iterable[ScoredRun]) -> TwinGap | None:
    """The gap between two sets of runs, taken as independent samples of tasks; None when either has no scored task.

    Its interval is ``interval.difference_of``. Tasks of a twin are about the same shapes as the original's, so that the
    two go together and the interval is rather too wide than too narrow.
    """
    sides = list(original), list(twin)
    groups = [list(grouped(side).values()) for side in sides]
    pass_at_1 = _gap(sides, share_right)
    if pass_at_1 is None:
        return None
    return TwinGap(
        tasks=(len(groups[0]), len(groups[1])),
        projects=(len(clustered(groups[0])), len(clustered(groups[1]))),
        majority=_gap([complete(side) for side in sides], majority_share),
        pass_at_1=pass_at_1,
    )


def gap_by_category(original: Iterable[ScoredRun], twin: Iterable[ScoredRun]) -> dict[str, TwinGap]:
    """``twin_gap`` of each category that has ``FEWEST_TASKS`` scored tasks in both, in the order of their names."""
    sides = [parts(side, "category") for side in (original, twin)]
    gaps = {name: twin_gap(sides[0][name], sides[1][name]) for name in sides[0] if name in sides[1]}
    return {name: gap for name, gap in gaps.items() if gap is not None and min(gap.tasks) >= FEWEST_TASKS}


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
    return SeedSpread(many, rounded(mean), rounded(root(variance)), *ends, rounded(root(chance)), share)


def _gap(sides: Sequence[Sequence[ScoredRun]], figure: Figure) -> Gap | None:
    if not all(map(grouped, sides)):
        return None
    first, second = (_mean(side, figure) for side in sides)
    own, other = (estimate(side, figure) for side in sides)
    interval = None
    if own is not None and other is not None:
        low, high = difference_of(own, other)
        interval = rounded(100 * low), rounded(100 * high)
    return Gap(rounded(first), rounded(second), rounded(100 * (first - second)), interval)


def _mean(runs: Iterable[ScoredRun], figure: Figure) -> Fraction:
    figures = [figure(group) for group in grouped(runs).values()]
    return sum(figures, Fraction(0)) / len(figures)


def _binomial(counts: list[tuple[int, int]]) -> Fraction:
    """The variance of scores that chance gives on average, from the unbiased estimate of the pooled rate's p(1-p)."""
    right, tasks = sum(right for right, _ in counts), sum(tasks for _, tasks in counts)
    spread = Fraction(right * (tasks - right), tasks * (tasks - 1))
    return spread * sum((Fraction(1, tasks) for _, tasks in counts), Fraction(0)) / len(counts)
