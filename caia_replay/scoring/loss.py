"""What acting on wrong answers costs: the stakes lost on first attempts, and a modelled chance of ruin.

Stakes are assumptions of whoever wrote the tasks, and so is the model of ruin (``ASSUMPTIONS``); neither is a
measurement of anybody's money.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd
from typing import Final

from caia_replay.core.task import Task
from caia_replay.errors import BadInput

DRAWN: Final = 100
"""Tasks that the modelled desk acts on."""

CAPITALS: Final = (10, 25, 50)
"""Capitals of the modelled desk, in median stakes of the tasks that were run; the first is the default."""

_DOLLARS: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,18})?")

MOST_STEPS: Final = 20_000
"""The most units that a capital is counted in; a finer loss is rounded up to the next such unit."""

ASSUMPTIONS: Final = (
    "the desk acts on 100 tasks drawn with replacement from the first attempts that have a verdict, each as likely",
    "an answer that is read and wrong loses its task's stake, whole and at once; a right one wins nothing, and a "
    "refusal, a silence or an answer nobody can read costs nothing",
    "stakes do not shrink as the capital does, nothing is hedged or insured, and draws are independent",
    "the desk is ruined once its losses reach its capital; capitals are multiples of the median stake of the tasks run",
)


@dataclass(frozen=True, slots=True)
class FirstAttempts:
    """Losses on the first attempts with a verdict, in dollars: over ``tasks``, ``total``, and the mean of a task."""

    tasks: int
    total: Fraction

    @property
    def mean(self) -> Fraction | None:
        """Dollars a task; None over no task."""
        return self.total / self.tasks if self.tasks else None


def stake(task: Task) -> Fraction:
    """What a wrong answer to a task is taken to cost, in dollars. Raises ``BadInput`` where the task does not say."""
    fault = stake_fault(task)
    if fault:
        raise BadInput(f"task {task.id}: {fault}", next_command=f"caia-replay task check {task.id}")
    return Fraction(task.stake_usd)


def stake_fault(task: Task) -> str:
    """Why a task's stake is no amount of dollars; "" where it is one."""
    return (
        ""
        if _DOLLARS.fullmatch(task.stake_usd)
        else f"stake_usd is {task.stake_usd!r:.40}, no amount of dollars such as '2500'"
    )


def usd(amount: Fraction) -> str:
    """Dollars as decimal text, rounded to cents, ties to even, without idle zeros."""
    cents = round(amount * 100)
    whole, rest = divmod(abs(cents), 100)
    tail = f".{rest:02}".rstrip("0").rstrip(".")
    return f"{'-' if cents < 0 else ''}{whole}{tail}"


def first_attempts(losses: Iterable[Fraction]) -> FirstAttempts:
    """The losses of one cell, one for each task whose first attempt has a verdict."""
    given = list(losses)
    return FirstAttempts(len(given), sum(given, Fraction(0)))


def median(amounts: Iterable[Fraction]) -> Fraction | None:
    """The median; between two amounts their mean; None of nothing."""
    ordered = sorted(amounts)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[-1 - middle]) / 2


def ruin(losses: Sequence[Fraction], capitals: Iterable[Fraction], draws: int = DRAWN) -> dict[Fraction, Fraction]:
    """For each capital, how likely ``draws`` losses drawn with replacement add up to it or more. Exact.

    As nothing is ever won, the sum only rises, so that being ruined at any time is being ruined at the end. The chance
    of each sum is a coefficient of the ``draws``-th power of the losses' generating function, taken by the recurrence
    of Miller (Knuth, The Art of Computer Programming, volume 2, 4.7) over whole numbers. Losses are counted in their
    greatest common measure, or where that would be finer in a ``MOST_STEPS``-th of the largest capital, rounded up.
    Raises ``ValueError`` for no loss to draw from, a negative one, no draw, or a capital that is not above 0.
    """
    wanted = list(capitals)
    if not losses or min(losses) < 0 or draws < 1 or min(wanted, default=Fraction(0)) <= 0:
        raise ValueError(f"{draws} draws of {len(losses)} losses against capitals of {sorted(wanted)} are no model")
    unit = _unit(losses, max(wanted))
    counts = Counter(ceil(loss / unit) for loss in losses)
    least, ends = min(counts), {capital: ceil(capital / unit) for capital in wanted}
    # Below every sum lies that of the least losses; the others are counted from there.
    ways = _power({size - least: count for size, count in counts.items()}, draws, max(ends.values()) - draws * least)
    whole = len(losses) ** draws
    return {capital: 1 - Fraction(sum(ways[: max(end - draws * least, 0)]), whole) for capital, end in ends.items()}


def _unit(losses: Iterable[Fraction], capital: Fraction) -> Fraction:
    """The greatest common measure of the losses, but no less than a ``MOST_STEPS``-th of the capital."""
    top, bottom = 0, 1
    for loss in losses:
        # gcd(a/b, c/d) = gcd(ad, cb) / bd
        top, bottom = gcd(top * loss.denominator, loss.numerator * bottom), bottom * loss.denominator
        shared = gcd(top, bottom)
        top, bottom = top // shared, bottom // shared
    least = capital / MOST_STEPS
    return max(Fraction(top, bottom), least) if top else capital


def _power(counts: Mapping[int, int], exponent: int, length: int) -> list[int]:
    """The first ``length`` coefficients of (sum of count x^size)^exponent; sizes from 0, which is among them."""
    if length <= 0:
        return []
    first = counts[0]
    others = sorted((size, count, (exponent + 1) * size) for size, count in counts.items() if size)
    reach = 0
    found = [first**exponent]
    for at in range(1, length):
        while reach < len(others) and others[reach][0] <= at:
            reach += 1
        total = sum([(rise - at) * count * found[at - size] for size, count, rise in others[:reach]])
        found.append(total // (at * first))
    return found
