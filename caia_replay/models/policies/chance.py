"""Chance for policies whose attempts differ: draws that are a pure function of what they are drawn from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import TypeVar

from caia_replay.canonical import canonical_bytes

T = TypeVar("T")

_BITS = 256
_DIGITS = 30


class Chance:
    """An endless row of draws from ``what`` (texts and whole numbers): the same row for the same, on any machine."""

    def __init__(self, *what: object) -> None:
        self._what = what
        self._drawn = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to ``bound`` - 1, each as likely as any other; ``bound`` is below 2**200."""
        return self._next() * bound >> _BITS

    def pick(self, choices: Sequence[T]) -> T:
        """One of ``choices``, of which there is at least one."""
        return choices[self.below(len(choices))]

    def hex(self, digits: int) -> str:
        """``digits`` hexadecimal digits, at most 64."""
        return f"{self._next():064x}"[:digits]

    def log_uniform(self, lowest: int, highest: int) -> Decimal:
        """A number from 10**``lowest`` up to 10**``highest``, each order of magnitude as likely as any other.

        In decimal arithmetic, since a float's power may differ between machines.
        """
        with localcontext() as context:
            context.prec = _DIGITS
            fraction = Decimal(self._next() >> (_BITS - 64)) / 2**64
            return Decimal(10) ** (lowest + (highest - lowest) * fraction)

    def _next(self) -> int:
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(canonical_bytes([*self._what, self._drawn])).digest(), "big")
