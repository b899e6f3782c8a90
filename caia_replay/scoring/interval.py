"""Intervals of 95 %, computed exactly and rounded once.

Two questions, two intervals. How far would the figure be on other tasks like these? ``over_projects``, in which tasks
about one project go together. How far would it be in other runs of these very tasks? ``over_attempts``.

Everything is integer and rational arithmetic without chance, so an interval is equal to the byte on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

_LEAST: Final = Fraction(7, 10)
"""A variance is taken for at least so much of what it were, were no two tasks alike: that tasks of a project are *less*
alike than others is more often chance than true. By simulation: a half covers too little, one too much."""

_GRID: Final = 10**30


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean from 0 to 1 that is as well known as a share of ``trials`` independent ones would be, of which ``freedom``
    degrees of freedom tell."""

    share: Fraction
    trials: Fraction
    freedom: Fraction

    def ends(self, freedom: Fraction | None = None) -> tuple[Fraction, Fraction]:
        """Wilson's interval with Student's t in the place of the normal's quantile."""
        t_squared = students_t(Z_95, self.freedom if freedom is None else freedom) ** 2
        return _end(self.share, self.trials, t_squared, -1), _end(self.share, self.trials, t_squared, 1)

    @property
    def variance(self) -> Fraction:
        """Of the mean."""
        return self.share * (1 - self.share) / self.trials


def over_projects(runs: Iterable[ScoredRun], figure: Figure = share_right, *, by_run: bool = False) -> Interval | None:
    """The interval of a mean over tasks, were it taken over other tasks about other projects; None as ``estimate``."""
    found = estimate(runs, figure, by_run=by_run)
    return None if found is None else (rounded(found.ends()[0]), rounded(found.ends()[1]))


def estimate(runs: Iterable[ScoredRun], figure: Figure = share_right, *, by_run: bool = False) -> Estimate | None:
    """The mean e over tasks, worth e(1-e)/v trials, v being ``variance_of_mean``; None under ``FEWEST_CLUSTERS``.

    There is one degree of freedom less than there are effective clusters. Where v is 0, or e is 0 or 1, nothing tells
    how alike tasks are, and each cluster is one trial. With ``by_run`` every run weighs the same and not every task, as
    in a ratio of counts.

    It takes projects as drawn independently, and tasks of a project as equally alike in small and in large ones.
    Simulated coverage with the shipped suite's projects (``tests/soak/test_coverage.py``): 93 to 97 % at correlations
    of 0 to 0.3 within a project and rates from 0.1 to 0.9; nearer to 0 or 1 down to 89 %.
    """
    tasks = clustered(grouped(runs).values())
    weights = [[len(task) if by_run else 1 for task in cluster] for cluster in tasks]
    clusters = effective(map(sum, weights))
    if clusters < FEWEST_CLUSTERS:
        return None
    values = [[figure(task) for task in cluster] for cluster in tasks]
    pairs = [pair for both in zip(values, weights, strict=True) for pair in zip(*both, strict=True)]
    share = sum((value * weight for value, weight in pairs), Fraction(0)) / sum(weight for _, weight in pairs)
    variance, spread = variance_of_mean(values, weights), share * (1 - share)
    return Estimate(share, spread / variance if variance and spread else Fraction(len(tasks)), clusters - 1)


def effective(sizes: Iterable[int]) -> Fraction:
    """How many clusters of one size tell as much as clusters of these sizes: (sum n)^2 / sum n^2; 0 of none.

    Kish (1965); as degrees of freedom Carter, Schnepel and Steigerwald (2017, Review of Economics and Statistics 99).
    """
    given = list(sizes)
    return Fraction(sum(given) ** 2, sum(size * size for size in given)) if given else Fraction(0)


def variance_of_mean(clusters: Clusters, weights: Sequence[Sequence[int]] | None = None) -> Fraction:
    """The variance of the mean of all values, by the textbook's analysis of variance with one random effect.

    The variance within clusters and the one between them are estimated for all clusters together, since a few large
    ones cannot tell their own (Donner 1986, International Statistical Review 54). Not under ``_LEAST`` of what
    independent values would have. ``weights``: of a weighted mean, one a value. Raises ``ZeroDivisionError`` for a
    single cluster.
    """
    many, groups = sum(map(len, clusters)), len(clusters)
    unit = lcm(*(value.denominator for own in clusters for value in own))
    whole = [[value.numerator * (unit // value.denominator) for value in own] for own in clusters]
    middle = Fraction(sum(map(sum, whole)) ** 2, many)
    total = (sum(value * value for own in whole for value in own) - middle) / unit**2
    between = (sum((Fraction(sum(own) ** 2, len(own)) for own in whole), Fraction(0)) - middle) / unit**2
    within = (total - between) / (many - groups) if many > groups else total / (many - 1)
    squares = Fraction(sum(len(own) ** 2 for own in clusters), many)
    beyond = (between - (groups - 1) * within) / (many - squares)
    given = weights or [[1] * len(own) for own in clusters]
    alone, together = sum(one**2 for own in given for one in own), sum(sum(own) ** 2 for own in given)
    least = _LEAST * total / (many - 1) * alone
    return max(within * alone + beyond * together, least) / sum(map(sum, given)) ** 2


def difference_of(first: Estimate, second: Estimate) -> tuple[Fraction, Fraction]:
    """The interval of the first mean less the second, joined from theirs, which never leaves -1 to 1.

    Newcombe (1998, Statistics in Medicine 17, method 10): from d - sqrt((p - l)^2 + (u' - p')^2) to
    d + sqrt((u - p)^2 + (p' - l')^2); degrees of freedom are Welch's (1947, Biometrika 34). It takes the two as
    independent: where they share projects it is rather too wide.
    """
    spread = first.variance**2 / first.freedom + second.variance**2 / second.freedom
    whole = first.variance + second.variance
    freedom = whole**2 / spread if spread else first.freedom + second.freedom
    (low, high), (other_low, other_high) = first.ends(freedom), second.ends(freedom)
    apart = first.share - second.share
    below = root((first.share - low) ** 2 + (other_high - second.share) ** 2)
    above = root((high - first.share) ** 2 + (second.share - other_low) ** 2)
    return apart - below, apart + above


def rankable(parts: Mapping[str, Sequence[ScoredRun]]) -> list[list[str]]:
    """Pairs of parts of which the first is better than the second by Pass@1: those alone whose difference has a 95 %
    interval without 0. Several pairs are not corrected for being several."""
    known = {name: own for name, runs in parts.items() if (own := estimate(runs)) is not None}
    found = []
    for one, two in combinations(known, 2):
        low, high = difference_of(known[one], known[two])
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
