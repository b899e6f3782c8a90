"""What a suite can tell apart: the smallest difference it would find, and which of its cells may be ranked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb

POWER = Fraction(4, 5)
ALPHA = Fraction(1, 20)
EVENLY_SPLIT = Fraction(1, 2)

FEWEST_RANKED = 21
"""The fewest independent tasks with which Wilson's 95 % interval of an even share reaches at most 20 points to
either side. With fewer, cells whose figures are 20 points apart may lie inside each other's intervals, and one
task more or less moves a figure by five points: their order is chance."""

_STEPS = 1000
_GRID = 10**30


def minimum_detectable_difference(
    n_tasks: int, discordant: Fraction = EVENLY_SPLIT, power: Fraction = POWER, alpha: Fraction = ALPHA
) -> Fraction | None:
    """The smallest difference of two majority figures, in thousandths, that is found with ``power``; None if none is.

    Found means that ``paired.mcnemar`` over ``n_tasks`` independent tasks is at most ``alpha``. ``discordant`` is
    the share of tasks on which the two differ at all, and so the largest difference there can be; its default is
    that of two models that have nothing in common and are right half of the time, which is the least favourable.
    For tasks that share projects, pass the number of projects to be cautious.

    Computed from the test's own binomials, not from a normal law. Takes time by the square of ``n_tasks``: about
    four seconds for 500. Raises ``ValueError`` as ``mcnemar_power``.
    """
    most = discordant * _STEPS // 1
    if mcnemar_power(n_tasks, Fraction(most, _STEPS), discordant, alpha) < power:
        return None
    least = 0
    while most - least > 1:
        middle = (least + most) // 2
        if mcnemar_power(n_tasks, Fraction(middle, _STEPS), discordant, alpha) < power:
            least = middle
        else:
            most = middle
    return Fraction(most, _STEPS)


def mcnemar_power(n_tasks: int, difference: Fraction, discordant: Fraction, alpha: Fraction = ALPHA) -> Fraction:
    """How likely McNemar's exact test finds a true ``difference`` at level ``alpha``, cut to some thirty decimals.

    The number of discordant tasks is binomial, and so is its split, by (1 + difference / discordant) / 2.
    Raises ``ValueError`` unless n_tasks > 0, 0 <= difference <= discordant <= 1, discordant > 0 and 0 < alpha < 1.
    """
    if n_tasks < 1 or not 0 <= difference <= discordant <= 1 or not discordant or not 0 < alpha < 1:
        raise ValueError(
            f"{n_tasks} tasks of which {discordant} are discordant cannot differ by {difference} at level {alpha}"
        )
    first = int((1 + difference / discordant) / 2 * _GRID)
    split, found = [_GRID], 0
    for number in range(n_tasks + 1):
        weight = comb(n_tasks, number) * discordant**number * (1 - discordant) ** (n_tasks - number)
        fewest = _fewest_found(number, alpha)
        if fewest is not None:
            found += int(weight * (sum(split[fewest:]) + sum(split[: number - fewest + 1])))
        split = [(lost * (_GRID - first) + won * first) // _GRID for lost, won in zip([*split, 0], [0, *split])]
    return Fraction(found, _GRID)


def rankable(sizes: Mapping[str, int]) -> tuple[str, ...]:
    """The cells that may be ranked, by name: those of ``FEWEST_RANKED`` independent tasks, if there are two.

    ``sizes`` counts what is independent: projects, a task without one being its own; never runs, for five runs
    of a task say no more about other tasks than one. CAIA's six categories hold 77, 49, 23, 14, 8 and 7 tasks:
    three may be ranked.
    """
    large = tuple(sorted(name for name, size in sizes.items() if size >= FEWEST_RANKED))
    return large if len(large) > 1 else ()


def _fewest_found(discordant: int, alpha: Fraction) -> int | None:
    """The least uneven split that McNemar's test finds, as the larger part; None where none is uneven enough."""
    allowed, tail, most = alpha * 2**discordant / 2, 0, discordant
    while 2 * most > discordant:
        tail += comb(discordant, most)
        if tail > allowed:
            break
        most -= 1
    return most + 1 if most < discordant else None
