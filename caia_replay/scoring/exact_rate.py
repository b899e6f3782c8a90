"""Exact ends of a rate on the scale of the normal's quantiles: where signal detection adds and subtracts rates."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, sqrt

_HALVINGS = 60
_FURTHEST = 37.0
"""Beyond so many standard deviations a share is no float any more."""


def share_below(z: float) -> float:
    """The standard normal's share below ``z``; exact far out too, where 1 less the share above would be 0."""
    return erfc(-z / sqrt(2)) / 2


@lru_cache(maxsize=4_096)
def probit_ends(successes: int, trials: int, outside: float = 0.05) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934, Biometrika 26) for a rate, as quantiles of the standard normal.

    It contains the true rate at least 1 - ``outside`` of the time, whatever it is. Minus infinity where nothing
    succeeded and infinity where everything did: no rate on that side can be excluded. Raises ``ValueError`` unless
    0 <= successes <= trials, trials > 0 and 0 < outside < 0.5.
    """
    if trials <= 0 or not 0 <= successes <= trials or not 0 < outside < 0.5:
        raise ValueError(f"{successes} of {trials} is no rate, or {outside} no share")
    return (
        _rate_of_tail(successes, trials, outside / 2),
        -_rate_of_tail(trials - successes, trials, outside / 2),
    )


def _rate_of_tail(successes: int, trials: int, share: float) -> float:
    """The quantile of the rate at which so many successes or more happen ``share`` of the time, by halving."""
    if successes == 0:
        return -inf
    below, above = -_FURTHEST, _FURTHEST
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        below, above = (below, middle) if _tail(successes, trials, middle) > share else (middle, above)
    return (below + above) / 2


def _tail(successes: int, trials: int, z: float) -> float:
    """How likely so many successes or more are at the rate with quantile ``z``: binomial terms, added up.

    Where they are expected it is only told as 1: it is above a quarter there (Greenberg and Mohri 2014).
    """
    rate, other = share_below(z), share_below(-z)
    if rate == 0 or rate * trials >= successes:
        return float(rate > 0)
    made = lgamma(trials + 1) - lgamma(successes + 1) - lgamma(trials - successes + 1)
    term = exp(made + successes * log(rate) + (trials - successes) * log(other))
    added, odds = 0.0, rate / other
    for count in range(successes, trials + 1):
        added += term
        term *= (trials - count) / (count + 1) * odds
        if term < added * 1e-17:
            break
    return added
