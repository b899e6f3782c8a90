"""How often the intervals of d' and c hold the truth: by counting every outcome, and on simulated agents."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt
from random import Random

from caia_replay.scoring.discernment import NORMAL, Claim, Discernment, Ends, discernment
from caia_replay.scoring.exact_rate import share_below

D_PRIMES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
BIASES = (-1.0, -0.5, 0.0, 0.5, 1.0)
SIZES = (20, 50, 100, 500)
CLUSTERED = ((60, 4, 1.0), (100, 5, 0.5), (100, 5, 1.0), (200, 4, 1.0), (200, 10, 0.0), (400, 8, 1.5))
"""Claims, claims a cluster, and the scatter of clusters' own d'."""


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
    """Claims, true and false in turn, as a Gaussian agent of that d' and criterion (below 0: credulous) takes them.

    ``size`` claims of a cluster follow each other, whose own d' scatter about ``d_prime``; signals nearer to the
    criterion than ``doubt`` are abstentions.
    """
    chance = Random(seed)
    made, own = [], d_prime
    for at in range(n):
        if at % size == 0 and scatter:
            own = d_prime + scatter * normal(chance)
        is_true = at % 2 == 0
        away = (own / 2 if is_true else -own / 2) + normal(chance) - bias
        accepted = None if abs(away) < doubt else away > 0
        made.append(Claim(channel, is_true, accepted, f"task-{at}", f"cluster-{at // size}" if size > 1 else ""))
    return made


def overall(value: float, scatter: float) -> float:
    """A d' or criterion over clusters whose own d' scatter: a mixture of normals is one, and wider."""
    return value / sqrt(1 + scatter**2 / 4)


def normal(chance: Random) -> float:
    return NORMAL.inv_cdf((int(chance.random() * 2**52) + 0.5) / 2**52)


def claims_of(true: int, hits: int, false: int, alarms: int, channel: str = "page") -> list[Claim]:
    """Claims with these counts, each a cluster of its own."""
    told = [(True, at < hits) for at in range(true)] + [(False, at < alarms) for at in range(false)]
    return [Claim(channel, sort, took, f"t{at}") for at, (sort, took) in enumerate(told)]


def of(found: Discernment) -> tuple[float, float, Ends, Ends]:
    """The figures of a channel that has them."""
    assert found.d_prime is not None and found.criterion is not None
    assert found.d_prime_interval is not None and found.criterion_interval is not None
    return found.d_prime, found.criterion, found.d_prime_interval, found.criterion_interval


def holds(ends: Ends, truth: float) -> bool:
    """Whether the interval holds it."""
    return (ends[0] is None or ends[0] <= truth) and (ends[1] is None or truth <= ends[1])


def counted(each: int) -> float:
    """The least coverage over the grid with ``each`` claims of either sort: every outcome, weighed by its chance."""
    outcomes = {
        pair: of(discernment("page", claims_of(each, pair[0], each, pair[1])))
        for pair in product(range(each + 1), repeat=2)
    }
    least = 1.0
    for d_prime, bias in product(D_PRIMES, BIASES):
        rates = share_below(d_prime / 2 - bias), share_below(-d_prime / 2 - bias)
        hits, alarms = ([comb(each, k) * p**k * (1 - p) ** (each - k) for k in range(each + 1)] for p in rates)
        for truth, at in ((d_prime, 2), (bias, 3)):
            least = min(least, sum(hits[h] * alarms[a] for (h, a), one in outcomes.items() if holds(one[at], truth)))
    return least


def recovered(d_prime: float, bias: float, n: int, seeds: int, size: int = 1, scatter: float = 0.0) -> tuple[int, int]:
    """On how many seeds d' and the criterion of a simulated agent are inside their intervals."""
    held = [0, 0]
    for seed in range(seeds):
        found = of(discernment("simulated", simulated(d_prime, bias, n, seed, size=size, scatter=scatter)))
        for at, truth in enumerate((d_prime, bias)):
            held[at] += holds(found[2 + at], overall(truth, scatter))
    return held[0], held[1]
