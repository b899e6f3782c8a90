"""Intervals of 95 %, computed exactly and rounded once.

Three questions, three intervals. How far would the figure be on other tasks like these? ``majority_interval``
(Wilson, tasks taken as independent) and ``over_projects`` (tasks about one project go together). How far would
it be in other runs of these very tasks? ``over_attempts``.

Everything is integer and rational arithmetic, and chance is ``random.Random.random`` on a stated seed (Python
promises its sequence), so an interval is equal to the byte on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt, lcm
from random import Random

from caia_replay.scoring.metrics import (
    Figure,
    ScoredRun,
    clustered,
    grouped,
    majority_right,
    right_runs,
    rounded,
    share_right,
)

Interval = tuple[float, float]
"""Lower and upper end, fractions from 0 to 1 of six decimals."""

Z_95 = Fraction("1.959963984540054235524594430520551528")
"""The 97.5 % quantile of the standard normal distribution."""

FEWEST_CLUSTERS = 5
"""Under five, resamples that are one cluster over and over (a share k^(1-k)) reach into the 2.5 % tails."""

MOST_CLUSTERS = 1_000
"""Beyond so many nothing is resampled: the normal's quantiles are as good there, and drawing would take seconds."""

RESAMPLES = 1999
"""So that the 2.5 % and 97.5 % quantiles are the 50th and the 1950th value, neither between two."""

SEED = 0

_GRID = 10**30


def wilson(successes: int, trials: int, z: Fraction = Z_95) -> Interval:
    """Wilson's score interval for a proportion.

    The closed form of the NIST/SEMATECH e-Handbook of Statistical Methods, section 7.2.4.1:
    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Raises ``ValueError`` unless
    0 <= successes <= trials and trials > 0.
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no proportion")
    share = Fraction(successes, trials)
    return rounded(_end(share, Fraction(trials), z * z, -1)), rounded(_end(share, Fraction(trials), z * z, 1))


def majority_interval(runs: Iterable[ScoredRun]) -> Interval | None:
    """Wilson's interval of the majority figure over tasks, as if independent; None when no run was scored."""
    groups = grouped(runs)
    if not groups:
        return None
    return wilson(sum(majority_right(group) for group in groups.values()), len(groups))


def over_projects(
    runs: Iterable[ScoredRun], figure: Figure = share_right, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """The interval of a mean over tasks, by a bootstrap that draws whole projects; None under ``FEWEST_CLUSTERS``.

    Wilson's interval for the *effective* number of trials, n = e(1-e)/v, where e is the mean and v the variance
    of e as a ratio over clusters; where v says nothing (no two clusters differ, or e is 0 or 1) n is the number
    of clusters. Its quantiles are those of (e' - e) / sqrt(e(1-e)/n') over ``resamples`` draws of clusters with
    returning, which correct for few and unlike clusters, but never nearer than the normal's: close to 0 or 1
    resamples cannot show what the sample has not seen.

    Simulated coverage (``tests/soak/test_coverage.py``): 93 to 97 % from 20 clusters on with e between 0.2 and
    0.85; near the ends with strongly alike clusters it falls short, the more so the fewer there are.
    """
    clusters, unit = _weighed(runs, figure)
    if len(clusters) < FEWEST_CLUSTERS:
        return None
    sums = _added(clusters)
    share, trials = Fraction(sums[0], unit * sums[1]), Fraction(*_trials(sums, unit, len(clusters)))
    below = above = Z_95 * Z_95
    if 0 < share < 1 and len(clusters) <= MOST_CLUSTERS:
        distances = _resampled(clusters, unit, share, resamples, seed)
        rank = max((resamples + 1) // 40, 1)
        above = max(above, -distances[rank - 1] / (share * (1 - share)))
        below = max(below, distances[-rank] / (share * (1 - share)))
    return rounded(_end(share, trials, below, -1)), rounded(_end(share, trials, above, 1))


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


Sums = tuple[int, int, int, int, int]
"""Of some clusters: the sums of s, n, s^2, s n and n^2, n being a cluster's tasks and s their figures added up."""


def _weighed(runs: Iterable[ScoredRun], figure: Figure) -> tuple[list[Sums], int]:
    """Each cluster alone, and the unit: s counts in ``1/unit``. Ordered by size, so that no name decides anything."""
    clusters = [[figure(task) for task in tasks] for tasks in clustered(grouped(runs).values())]
    unit = lcm(*(share.denominator for shares in clusters for share in shares))
    whole = sorted((int(sum(shares, Fraction(0)) * unit), len(shares)) for shares in clusters)
    return [(s, n, s * s, s * n, n * n) for s, n in whole], unit


def _added(clusters: Iterable[Sums]) -> Sums:
    s, n, ss, sn, nn = map(sum, zip(*clusters))
    return s, n, ss, sn, nn


def _trials(sums: Sums, unit: int, clusters: int) -> tuple[int, int]:
    """The effective number of trials, as a ratio of integers: e(1-e) over k/(k-1) sum((s - e n)^2) / (sum n)^2."""
    s, n, ss, sn, nn = sums
    unlike = ss * n * n - 2 * s * n * sn + s * s * nn
    spread = s * (unit * n - s)
    return (spread * n * n * (clusters - 1), clusters * unlike) if unlike and spread else (clusters, 1)


def _resampled(clusters: Sequence[Sums], unit: int, share: Fraction, resamples: int, seed: int) -> list[Fraction]:
    """(e' - e)^2 n' of each resample with the sign of e' - e, cut to thirty decimals, in order."""
    chance, many = Random(seed).random, len(clusters)
    distances = []
    for _ in range(resamples):
        sums = _added([clusters[int(chance() * many)] for _ in range(many)])
        whole = unit * sums[1]
        apart = sums[0] * share.denominator - share.numerator * whole
        above, below = _trials(sums, unit, many)
        size = apart * apart * above * _GRID // ((whole * share.denominator) ** 2 * below)
        distances.append(size if apart > 0 else -size)
    return [Fraction(size, _GRID) for size in sorted(distances)]


def _variance(group: Sequence[ScoredRun]) -> Fraction:
    """The unbiased estimate of the variance of one task's share of right runs."""
    runs, right = len(group), right_runs(group)
    return Fraction(right * (runs - right), runs**2 * (runs - 1)) if runs > 1 else Fraction(1, 4)


def _end(share: Fraction, trials: Fraction, z_squared: Fraction, side: int) -> Fraction:
    """The lower (``side`` -1) or upper (1) end of Wilson's interval for ``trials`` of any positive size."""
    if share == (1 + side) // 2:
        # By its exact value: there the closed form is 0 or 1, and only the root's grid would blur it.
        return share
    reach = _root(z_squared * (share * (1 - share) / trials + z_squared / (4 * trials**2)))
    return (share + z_squared / (2 * trials) + side * reach) / (1 + z_squared / trials)


def _root(value: Fraction) -> Fraction:
    """The square root, cut to thirty decimals by integer arithmetic."""
    return Fraction(isqrt(value.numerator * _GRID**2 // value.denominator), _GRID)
