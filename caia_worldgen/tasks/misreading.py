"""Whether a question can be answered as it asks, and whether who misreads it is told apart from who does not.

A draft is worth a task only where both hold: an answer with as many decimals as the question wants is right, and what a
careless reader would answer instead (the figure of another block, gross for net) is beyond the tolerance.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

_APART: Final = 2
"""How many tolerances lie between a right answer and a wrong one at the least: a wrong one may be rounded as well."""
_GUESSES: Final = frozenset(Fraction(one) for one in (*range(13), 18, 95, 100))
"""What somebody says who only guesses: small counts, the usual decimals, round shares."""


def is_sayable(value: Fraction, tolerance: str, decimals: int) -> bool:
    """Whether a value that is cut to so many decimals lies within the tolerance, in per cent, and is no mere guess."""
    return _margin(value, tolerance) >= Fraction(1, 10**decimals) and value not in _GUESSES


def is_told_apart(value: Fraction, other: Fraction | int, tolerance: str) -> bool:
    """Whether another value lies clearly beyond the tolerance, in per cent, of the right one."""
    return abs(value - other) > _APART * _margin(value, tolerance)


def _margin(value: Fraction, tolerance: str) -> Fraction:
    return abs(value) * Fraction(tolerance) / 100
