"""Simulated agents whose discernment is known: the equal-variance Gaussian model, to try statistics of it on.

Each claim gives a signal from a normal distribution of deviation 1, whose mean is d'/2 for a true claim and -d'/2 for a
false one. The agent accepts what is above its criterion. All chance is ``Random.random`` on a seed, and a claim's noise
is the same whatever d' and the criterion are, so that of one seed more d' never means fewer hits.
"""

from __future__ import annotations

from math import sqrt
from random import Random

from caia_replay.scoring.discernment import NORMAL, Claim

_FINE = 2**52


def simulated(
    d_prime: float,
    bias: float,
    n: int,
    seed: int,
    *,
    channel: str = "simulated",
    size: int = 1,
    scatter: float = 0.0,
    doubt: float = 0.0,
) -> list[Claim]:
    """``n`` claims, true and false in turn, as an agent of that d' and criterion (``bias``, below 0 for the credulous)
    takes them.

    ``size`` claims of each cluster follow each other; clusters' own d' scatter about ``d_prime`` with the deviation
    ``scatter``, so that over all of them d' and c are ``overall`` of these. ``doubt``: signals nearer to the criterion
    than this are abstentions. Raises ``ValueError`` for ``n`` or ``size`` below 1, and for a negative deviation.
    """
    if min(n, size) < 1 or min(scatter, doubt) < 0:
        raise ValueError(f"{n} claims in clusters of {size}, scatter {scatter}, doubt {doubt} cannot be simulated")
    chance = Random(seed)
    made, own = [], d_prime
    for at in range(n):
        if at % size == 0 and scatter:
            own = d_prime + scatter * _normal(chance)
        is_true = at % 2 == 0
        away = (own / 2 if is_true else -own / 2) + _normal(chance) - bias
        accepted = None if abs(away) < doubt else away > 0
        made.append(Claim(channel, is_true, accepted, f"task-{at}", f"cluster-{at // size}" if size > 1 else ""))
    return made


def overall(value: float, scatter: float) -> float:
    """A d' or criterion over clusters whose own d' scatter: a mixture of normals is one, and wider."""
    return value / sqrt(1 + scatter**2 / 4)


def _normal(chance: Random) -> float:
    return NORMAL.inv_cdf((int(chance.random() * _FINE) + 0.5) / _FINE)
