"""Intervals of 95 %, computed exactly and rounded once.

Two questions, two intervals. How far would the figure be on other tasks like these? ``over_projects``, in which tasks
about one project go together. How far would it be in other runs of these very tasks? ``over_attempts``.

Everything is integer and rational arithmetic without chance, so an interval is equal to the byte on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt, lcm
from typing import Final

from caia_replay.scoring.metrics import (
    Figure,
    ScoredRun,
    clustered,
    grouped,
    right_runs,
    rounded,
    share_right,
)

Interval = tuple[float, float]
"""Lower and upper end, fractions from 0 to 1 of six decimals."""

Clusters = Sequence[Sequence[Fraction]]
"""The values of tasks, those about one project together."""

Z_95: Final = Fraction("1.959963984540054235524594430520551528")
"""The 97.5 % quantile of the standard normal distribution."""

FEWEST_CLUSTERS: Final = 5
"""Effective clusters, below which nothing can be said of others: Student's t of less than four degrees of freedom."""

_LEAST: Final = Fraction(3, 4)
"""A variance is taken for at least so much of what it were, were no two tasks alike: that tasks of a project are *less*
alike than others is more often chance than true. By simulation: a half covers too little, one too much."""

_GRID: Final = 10**30


def over_projects(runs: Iterable[ScoredRun], figure: Figure = share_right, *, by_run: bool = False) -> Interval | None:
    """The interval of a mean over tasks on other tasks about other projects; None under ``FEWEST_CLUSTERS``.

    Wilson's interval for e(1-e)/v trials, e being the mean and v ``variance_of_mean``, with the quantile of Student's t
    for one degree of freedom less than there are effective clusters. Where v is 0, or e is 0 or 1, nothing tells how
    alike tasks are, and each cluster counts as one trial. With ``by_run`` every run weighs the same and not every task,
    as in a ratio of counts.

    It takes projects as drawn independently, and tasks of a project as equally alike in small and in large ones.
    Simulated coverage with the shipped suite's projects (``tests/soak/test_coverage.py``): 93 to 97 % at correlations
    of 0 to 0.3 within a project and rates from 0.1 to 0.9; nearer to 0 or 1 down to 89 %.
    """
    tasks = clustered(grouped(runs).values())
    weights = [[len(task) if by_run else 1 for task in cluster] for cluster in tasks]
    clusters = effective(map(sum, weights))
    if clusters < FEWEST_CLUSTERS:
        return None
    values = [[figure(task) * weight for task, weight in zip(*both, strict=True)] for both in zip(tasks, weights)]
    many, whole = sum(map(len, tasks)), sum(map(sum, weights))
    share = sum((value for own in values for value in own), Fraction(0)) / whole
    if by_run:  # a ratio's variance is, to first order, that of how far each task pulls it
        values = [
            [(value - share * weight) * many / whole for value, weight in zip(*both, strict=True)]
            for both in zip(values, weights)
        ]
    variance = variance_of_mean(values)
    spread = share * (1 - share)
    trials = spread / variance if variance and spread else Fraction(len(tasks))
    t_squared = students_t(Z_95, clusters - 1) ** 2
    return rounded(_end(share, trials, t_squared, -1)), rounded(_end(share, trials, t_squared, 1))


def effective(sizes: Iterable[Fraction | int]) -> Fraction:
    """How many clusters of one size tell as much as clusters of these sizes: (sum n)^2 / sum n^2; 0 of none.

    Kish (1965); as degrees of freedom Carter, Schnepel and Steigerwald (2017, Review of Economics and Statistics 99).
    """
    given = list(sizes)
    return Fraction(sum(given)) ** 2 / sum(size * size for size in given) if given else Fraction(0)


def variance_of_mean(clusters: Clusters) -> Fraction:
    """The variance of the mean of all values, by the textbook's analysis of variance with one random effect.

    The variance within clusters and the one between them are estimated for all clusters together, since a few large
    ones cannot tell their own (Donner 1986, International Statistical Review 54). Not under ``_LEAST`` of what
    independent values would have. Raises ``ZeroDivisionError`` for a single cluster.
    """
    many, groups = sum(map(len, clusters)), len(clusters)
    squares = Fraction(sum(len(own) ** 2 for own in clusters))
    unit = lcm(*(value.denominator for own in clusters for value in own))
    whole = [[value.numerator * (unit // value.denominator) for value in own] for own in clusters]
    middle = Fraction(sum(map(sum, whole)) ** 2, many)
    total = (sum(value * value for own in whole for value in own) - middle) / unit**2
    between = (sum((Fraction(sum(own) ** 2, len(own)) for own in whole), Fraction(0)) - middle) / unit**2
    alone = total / (many - 1) / many
    if many == groups:
        return alone
    within = (total - between) / (many - groups)
    beyond = (between - (groups - 1) * within) / (many - squares / many)
    return max(within / many + beyond * squares / many**2, _LEAST * alone)


def difference_of(first: Fraction, own: Interval, second: Fraction, other: Interval) -> tuple[Fraction, Fraction]:
    """The interval of ``first`` less ``second``, joined from theirs, which never leaves -1 to 1.

    Newcombe (1998, Statistics in Medicine 17, method 10); for any intervals Zou and Donner (2008, ibid. 27): from
    d - sqrt((p - l)^2 + (u' - p')^2) to d + sqrt((u - p)^2 + (p' - l')^2). It takes the two as independent: where they
    share projects it is rather too wide.
    """
    (low, high), (other_low, other_high) = map(_millionths, own), map(_millionths, other)
    below = root((first - low) ** 2 + (other_high - second) ** 2)
    above = root((high - first) ** 2 + (second - other_low) ** 2)
    return first - second - below, first - second + above


def rankable(parts: Mapping[str, Sequence[ScoredRun]]) -> list[list[str]]:
    """Pairs of parts of which the first is better than the second by Pass@1: those alone whose difference has a 95 %
    interval without 0. Several pairs are not corrected for being several."""
    known = {}
    for name, runs in parts.items():
        ends, groups = over_projects(runs), grouped(runs).values()
        if ends is not None:
            known[name] = sum(map(share_right, groups), Fraction(0)) / len(groups), ends
    found = []
    for one, two in combinations(known, 2):
        low, high = difference_of(*known[one], *known[two])
        if low > 0 or high < 0:
            found.append([one, two] if low > 0 else [two, one])
    return found


def students_t(z: Fraction, freedom: Fraction) -> Fraction:
    """The quantile of Student's t that stands where ``z`` stands under the normal, cut to thirty decimals.

    The expansion of Abramowitz and Stegun (1964), 26.7.5; off by less than one part in 3,000 at four degrees of
    freedom and in 200,000 from ten on. Raises ``ValueError`` under four.
    """
    if freedom < FEWEST_CLUSTERS - 1:
        raise ValueError(f"the expansion says nothing of {freedom} degrees of freedom")
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return cut(sum((term / freedom**power for power, term in enumerate(terms)), Fraction(0)))


def over_attempts(runs: Iterable[ScoredRun], *, deterministic: bool) -> Interval | None:
    """Pass@1's interval over other runs of the same tasks; None for a deterministic model, and without a run.

    A deterministic model's further attempts repeat its first: they are no sample, and there is no such interval.
    Wilson's interval for the effective number of trials e(1-e)/v, v being the mean's variance from the unbiased
    variance within each task; a task scored once adds the most a share can vary, 1/4. Where v is 0 every run is
    a trial, which is cautious.
    """
    groups = list(grouped(runs).values())
    if deterministic or not groups:
        return None
    share = sum(map(share_right, groups), Fraction(0)) / len(groups)
    variance = sum(map(_variance, groups), Fraction(0)) / len(groups) ** 2
    spread = share * (1 - share)
    trials = spread / variance if variance and spread else Fraction(sum(map(len, groups)))
    return rounded(_end(share, trials, Z_95 * Z_95, -1)), rounded(_end(share, trials, Z_95 * Z_95, 1))


def _variance(group: Sequence[ScoredRun]) -> Fraction:
    """The unbiased estimate of the variance of one task's share of right runs."""
    runs, right = len(group), right_runs(group)
    return Fraction(right * (runs - right), runs**2 * (runs - 1)) if runs > 1 else Fraction(1, 4)


def _end(share: Fraction, trials: Fraction, z_squared: Fraction, side: int) -> Fraction:
    """The lower (``side`` -1) or upper (1) end of Wilson's interval for ``trials`` of any positive size.

    The closed form of the NIST/SEMATECH e-Handbook of Statistical Methods, section 7.2.4.1:
    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).
    """
    if share == (1 + side) // 2:
        # By its exact value: there the closed form is 0 or 1, and only the root's grid would blur it.
        return share
    reach = root(z_squared * (share * (1 - share) / trials + z_squared / (4 * trials**2)))
    return (share + z_squared / (2 * trials) + side * reach) / (1 + z_squared / trials)


def root(value: Fraction) -> Fraction:
    """The square root, cut to thirty decimals by integer arithmetic."""
    return Fraction(isqrt(value.numerator * _GRID**2 // value.denominator), _GRID)


def cut(value: Fraction) -> Fraction:
    """``value`` without what is beyond thirty decimals."""
    return Fraction(value.numerator * _GRID // value.denominator, _GRID)


def _millionths(end: float) -> Fraction:
    """The decimal an end was rounded to, not the nearest binary fraction."""
    return Fraction(round(end * 10**6), 10**6)
