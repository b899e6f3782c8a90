"""What d' would be were labels exchanged: by chance alone, over seeded draws.

Labels are exchanged as they were drawn: task by task. Tasks whose claims all bear one label exchange it with tasks of
as many claims; a task that was told both truth and lie exchanges its labels within itself. p-values are
(1 + draws as far out) / (1 + draws) (Phipson and Smyth 2010, Statistical Applications in Genetics 9), never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, Final

from caia_replay.scoring.discernment import Claim, z_of

DRAWS: Final = 1_999
_OUTSIDE: Final = 0.05
_ALIKE: Final = 1e-9
"""Values nearer to each other than this are equal ones in another order of arithmetic."""

Counts = list[int]
"""True claims, those accepted, false claims, those accepted."""


def shuffled(claims: Iterable[Claim], seed: int) -> list[Claim]:
    """The same claims with other labels, in the same order; equal seeds give equal ones."""
    given = list(claims)
    labels = _dealt(_strata(given), [claim.is_true for claim in given], Random(seed))
    return [replace(claim, is_true=label) for claim, label in zip(given, labels, strict=True)]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What shuffled labels give over ``draws`` that have a d', which takes a decided claim of each sort. ``p``: how
    likely one is at least as far from 0, either way. The middle 95 % lie from ``low`` to ``high``; None without any."""

    draws: int
    p: Fraction
    low: float | None
    high: float | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"draws": self.draws, "p": round(float(self.p), 6), "low": self.low, "high": self.high}


def shuffle_labels(claims: Iterable[Claim], *, draws: int = DRAWS, seed: int = 0) -> Shuffled | None:
    """The d' that labels which mean nothing give. None where no claim of either sort was decided."""
    given = sorted(claims, key=lambda one: (one.task, one.channel, one.is_true, str(one.accepted)))
    own = [claim.is_true for claim in given]
    found = _d_prime(_counted(given, own))
    if found is None:
        return None
    chance, strata = Random(seed), _strata(given)
    made = [_d_prime(_counted(given, _dealt(strata, own, chance))) for _ in range(draws)]
    known = sorted(drawn for drawn in made if drawn is not None)
    far = sum(abs(drawn) >= abs(found) - _ALIKE for drawn in known)
    outside = int(len(known) * _OUTSIDE / 2)
    ends = (known[outside], known[-1 - outside]) if known else (None, None)
    low, high = (None if end is None else round(end, 6) + 0.0 for end in ends)
    return Shuffled(len(known), Fraction(1 + far, 1 + len(known)), low, high)


def _strata(claims: Sequence[Claim]) -> list[list[list[int]]]:
    """Places of claims that exchange labels: lists of units, whose labels are dealt anew unit by unit."""
    tasks: dict[str, list[int]] = {}
    for at, claim in enumerate(claims):
        tasks.setdefault(claim.task, []).append(at)
    whole: dict[int, list[list[int]]] = {}
    mixed: list[list[list[int]]] = []
    for _, places in sorted(tasks.items()):
        if len({claims[at].is_true for at in places}) == 1:
            whole.setdefault(len(places), []).append(places)
        else:
            mixed.append([[at] for at in places])
    return [*(whole[size] for size in sorted(whole)), *mixed]


def _dealt(strata: Sequence[Sequence[Sequence[int]]], labels: Sequence[bool], chance: Random) -> list[bool]:
    dealt = list(labels)
    for units in strata:
        drawn = [labels[places[0]] for places in units]
        for at in range(len(drawn) - 1, 0, -1):  # by random() alone, whose sequence Python promises
            other = int(chance.random() * (at + 1))
            drawn[at], drawn[other] = drawn[other], drawn[at]
        for places, label in zip(units, drawn, strict=True):
            for at in places:
                dealt[at] = label
    return dealt


def _counted(claims: Sequence[Claim], labels: Sequence[bool]) -> Counts:
    counts = [0, 0, 0, 0]
    for claim, label in zip(claims, labels, strict=True):
        if claim.accepted is not None:
            _add(counts, claim, label)
    return counts


def _add(counts: Counts, claim: Claim, label: bool) -> None:
    side = 0 if label else 2
    counts[side] += 1
    counts[side + 1] += claim.accepted is True


def _d_prime(counts: Counts) -> float | None:
    if not (counts[0] and counts[2]):
        return None
    return z_of(counts[1], counts[0]) - z_of(counts[3], counts[2])
