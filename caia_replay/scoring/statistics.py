"""Intervals, computed exactly and rounded once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

from caia_replay.scoring.metrics import ScoredRun, grouped, majority_right, rounded

Z_95 = Fraction("1.959963984540054235524594430520551528")
"""The 97.5 % quantile of the standard normal distribution."""

_GRID = 10**30


def wilson(successes: int, trials: int, z: Fraction = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a proportion, as (lower, upper) fractions of six decimals.

    The closed form of the NIST/SEMATECH e-Handbook of Statistical Methods, section 7.2.4.1:
    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Raises ``ValueError`` unless
    0 <= successes <= trials and trials > 0.
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no proportion")
    share, z_squared = Fraction(successes, trials), z * z
    centre = share + z_squared / (2 * trials)
    reach = z * _root(share * (1 - share) / trials + z_squared / (4 * trials**2))
    scale = 1 + z_squared / trials
    # Clamped by their exact values: at 0 and n the closed form is 0 and 1, and only the root's grid blurs it.
    lower = Fraction(0) if successes == 0 else (centre - reach) / scale
    upper = Fraction(1) if successes == trials else (centre + reach) / scale
    return rounded(lower), rounded(upper)


def majority_interval(runs: Iterable[ScoredRun]) -> tuple[float, float] | None:
    """Wilson's 95 % interval of the majority figure over tasks; None when no run was scored."""
    groups = grouped(runs)
    if not groups:
        return None
    return wilson(sum(majority_right(group) for group in groups.values()), len(groups))


def _root(value: Fraction) -> Fraction:
    """The square root, cut to thirty decimals by integer arithmetic."""
    return Fraction(isqrt(value.numerator * _GRID**2 // value.denominator), _GRID)
