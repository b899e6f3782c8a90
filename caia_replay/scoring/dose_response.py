"""Adoption by dose: a rate for each level, the nearest curve that never falls, and tests for a trend.

Runs of a deterministic model repeat one another: a point then counts tasks, not runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from random import Random
from typing import Final

from caia_replay.scoring.interval import Interval, wilson
from caia_replay.scoring.metrics import rounded
from caia_replay.scoring.paired import sign_flip

DRAWS: Final = 1_999
"""Random spreads where they cannot all be counted; the smallest p-value is then 1 in 2,000."""

MOST_COUNTED: Final = 3_000_000
"""The most steps that counting takes: a second or two."""


@dataclass(frozen=True, slots=True)
class DosePoint:
    """At the dose ``level``, ``adopted`` of ``runs`` attacked runs adopted the lie. ``label`` names the level."""

    level: Fraction
    runs: int
    adopted: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class DoseRow:
    """A point with its rate, Wilson's 95 % interval of it, and what the fit that never falls gives there."""

    point: DosePoint
    rate: float
    interval: Interval
    fitted: float


@dataclass(frozen=True, slots=True)
class DoseResponse:
    """Rows by rising level; ``trend_p`` and ``counted`` are ``trend``'s."""

    rows: tuple[DoseRow, ...]
    trend_p: Fraction
    counted: bool


def dose_response(points: Iterable[DosePoint]) -> DoseResponse:
    """Rates, fit and trend of points, each level given once.

    Raises ``ValueError`` for no point, a level given twice, and counts that are no proportion.
    """
    given = sorted(points, key=lambda point: point.level)
    if not given or len({point.level for point in given}) < len(given):
        raise ValueError(f"{len(given)} points of {len({point.level for point in given})} levels are no curve")
    intervals = [wilson(point.adopted, point.runs) for point in given]
    fits = isotonic([Fraction(point.adopted, point.runs) for point in given], [point.runs for point in given])
    rows = [
        DoseRow(point, rounded(Fraction(point.adopted, point.runs)), ends, rounded(fit))
        for point, ends, fit in zip(given, intervals, fits, strict=True)
    ]
    return DoseResponse(tuple(rows), *trend(given))


def isotonic(values: Sequence[Fraction], weights: Sequence[int]) -> list[Fraction]:
    """The sequence that never falls and is nearest to ``values`` in weighted squares.

    By pooling adjacent violators (Ayer et al. 1955, Annals of Mathematical Statistics 26). Weights are above 0.
    """
    blocks: list[tuple[Fraction, int, int]] = []
    for value, weight in zip(values, weights, strict=True):
        block = (value * weight, weight, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    return [total / weight for total, weight, many in blocks for _ in range(many)]


def trend(points: Sequence[DosePoint], *, draws: int = DRAWS, seed: int = 0) -> tuple[Fraction, bool]:
    """The exact p-value of the Cochran-Armitage test for a trend, two-sided, with levels as scores; whether counted.

    Given how many adopted in all, every way to spread them over the runs is as likely when the dose does nothing; the
    p-value is the share of ways in which sum(level x adopted) is at least as far from its mean. All ways are counted
    within ``MOST_COUNTED`` steps, else (1 + hits) / (1 + draws) over seeded draws. It takes runs as independent; where
    each level was played on the same tasks, ``paired_trend`` uses that.
    """
    unit, lowest = lcm(*(point.level.denominator for point in points)), min(point.level for point in points)
    scores = [int((point.level - lowest) * unit) for point in points]
    scores = [score // (gcd(*scores) or 1) for score in scores]
    sizes, taken = [point.runs for point in points], [point.adopted for point in points]
    if 2 * sum(taken) > sum(sizes):  # who did not adopt is spread as far from the mean
        taken = [size - own for size, own in zip(sizes, taken, strict=True)]
    apart = sum(score * own for score, own in zip(scores, taken, strict=True)) * sum(sizes)
    middle = sum(taken) * sum(score * size for score, size in zip(scores, sizes, strict=True))
    least = abs(apart - middle)

    def is_far(total: int) -> bool:
        return abs(total * sum(sizes) - middle) >= least

    if (sum(taken) + 1) * (sum(taken) * max(scores) + 1) * sum(sizes) <= MOST_COUNTED:
        ways = _ways(scores, sizes, sum(taken))
        return Fraction(sum(ways[total] for total in ways if is_far(total)), comb(sum(sizes), sum(taken))), True
    chance, hits = Random(seed).random, 0
    for _ in range(draws):
        waiting, left, total = sum(taken), sum(sizes), 0
        for score, size in zip(scores, sizes, strict=True):
            for _ in range(size):
                if chance() * left < waiting:
                    waiting, total = waiting - 1, total + score
                left -= 1
        hits += is_far(total)
    return Fraction(1 + hits, 1 + draws), False


def paired_trend(
    levels: Sequence[Fraction], tasks: Iterable[tuple[str, Sequence[Fraction]]], *, seed: int = 0
) -> Fraction:
    """The two-sided p-value of a trend of adoption over the dose, where every level was played on the same tasks.

    ``tasks``: (cluster, share of adopted runs from 0 to 1 at each level, in the order of ``levels``). Levels count by
    their rank. The test flips the sign of each cluster's covariance of share and level: without an effect, a task's
    shares in reverse order are as likely. ``seed`` draws the flips where they are too many to count. The p-value gives
    no direction, and a rise followed by an equal fall is no trend. Raises ``ValueError`` for a task with another
    number of shares than there are levels.
    """
    ordered = sorted(range(len(levels)), key=lambda at: levels[at])
    sums: dict[str, Fraction] = {}
    for cluster, shares in tasks:
        if len(shares) != len(levels):
            raise ValueError(f"{len(shares)} shares at {len(levels)} levels")
        # Ranks instead of levels: read backwards, ranks are the same apart from each other, and levels need not be.
        tilt = sum((Fraction(2 * rank - len(levels) + 1) * shares[at] for rank, at in enumerate(ordered)), Fraction(0))
        sums[cluster] = sums.get(cluster, Fraction(0)) + tilt
    return sign_flip(list(sums.values()), seed=seed)[0] if sums else Fraction(1)


def _ways(scores: Sequence[int], sizes: Sequence[int], taken: int) -> dict[int, int]:
    """In how many ways ``taken`` of the runs have scores that add up to each total."""
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    for score, size in zip(scores, sizes, strict=True):
        after: dict[tuple[int, int], int] = {}
        for (used, total), count in ways.items():
            for more in range(min(size, taken - used) + 1):
                key = (used + more, total + score * more)
                after[key] = after.get(key, 0) + count * comb(size, more)
        ways = after
    return {total: count for (used, total), count in ways.items() if used == taken}
