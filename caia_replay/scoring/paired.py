"""Two sets of runs over the same tasks compared, task by task, with exact p-values.

The null hypothesis is always that the two are alike: had they changed places on a task, or on a whole project,
nothing else would be different. All p-values are two-sided and rational.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from random import Random

from caia_replay.scoring.metrics import ScoredRun, cluster_of, grouped, share_right

DRAWS = 19_999
"""Random sign-flips where they cannot all be counted; the smallest p-value is then 1 in 20,000."""

MOST_COUNTED = 1_000_000
"""The largest total of differences, in their common unit, that is counted exactly: a second or two."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The comparison over ``tasks`` shared tasks of ``projects`` clusters; ``left_out`` were scored on one side only.

    ``difference``: the mean over tasks of the first's share of right runs less the second's, from -1 to 1, and
    ``difference_p`` its p-value by sign-flips of whole clusters; ``counted`` tells that all flips were counted.
    """

    tasks: int
    left_out: int
    projects: int
    difference: Fraction
    difference_p: Fraction
    counted: bool


def compare(first: Iterable[ScoredRun], second: Iterable[ScoredRun], *, seed: int = 0) -> Paired | None:
    """The two sets compared over the tasks both were scored on; None when there is no such task.

    A task's project is the one its first set names.
    """
    one, two = grouped(first), grouped(second)
    shared = [task for task in one if task in two]
    if not shared:
        return None
    by_cluster: dict[tuple[str, str], Fraction] = {}
    for task in shared:
        cluster = cluster_of(one[task][0])
        by_cluster[cluster] = by_cluster.get(cluster, Fraction(0)) + share_right(one[task]) - share_right(two[task])
    p_value, counted = sign_flip(list(by_cluster.values()), seed=seed)
    return Paired(
        tasks=len(shared),
        left_out=len(one.keys() ^ two.keys()),
        projects=len(by_cluster),
        difference=sum(by_cluster.values(), Fraction(0)) / len(shared),
        difference_p=p_value,
        counted=counted,
    )


def sign_flip(differences: Sequence[Fraction], *, draws: int = DRAWS, seed: int = 0) -> tuple[Fraction, bool]:
    """How likely the sum of ``differences``, each with a random sign, is at least as far from 0; and whether counted.

    Counted over all 2^k signs where the total fits in ``MOST_COUNTED`` units. Else (1 + hits) / (1 + draws) over
    seeded draws (Phipson and Smyth 2010), which is never 0.
    """
    unit = lcm(*(difference.denominator for difference in differences))
    whole = [int(difference * unit) for difference in differences if difference]
    whole = [difference // gcd(*whole) for difference in whole]
    sizes, apart = [abs(difference) for difference in whole], abs(sum(whole))
    if apart == 0:
        return Fraction(1), True
    if sum(sizes) <= MOST_COUNTED:
        # A sum of signs is twice the part with a plus less the total; far below 0 is as likely as far above.
        return Fraction(2 * _subsets(sizes, (sum(sizes) - apart) // 2), 2 ** len(sizes)), True
    chance = Random(seed).random
    hits = sum(abs(sum(size if chance() < 0.5 else -size for size in sizes)) >= apart for _ in range(draws))
    return Fraction(1 + hits, 1 + draws), False


def holm(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Holm's step-down correction of several p-values, in the order given (Holm 1979): the chance of any false alarm.

    Compare each with the level wanted for all comparisons together.
    """
    adjusted, worst = [Fraction(1)] * len(p_values), Fraction(0)
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        worst = max(worst, min(Fraction(1), (len(p_values) - rank) * p_values[place]))
        adjusted[place] = worst
    return adjusted


def _subsets(sizes: Sequence[int], most: int) -> int:
    """How many of the 2^k subsets of ``sizes`` add up to ``most`` at most.

    The counts by sum are the digits of one long integer, the product of (1 + B^size): shifts and additions.
    """
    digit = len(sizes) // 8 + 1
    product = 1
    for size in sizes:
        product += product << (8 * digit * size)
    data = product.to_bytes(digit * (sum(sizes) + 1), "little")
    return sum(int.from_bytes(data[at : at + digit], "little") for at in range(0, digit * (most + 1), digit))
