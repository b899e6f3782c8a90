"""Adoption by dose: the nearest curve that never falls, and a test for a trend over the same tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from caia_replay.scoring.paired import sign_flip


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
