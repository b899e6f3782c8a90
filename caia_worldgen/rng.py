"""Chance, as a pure function of a name: what everything synthetic is drawn from.

Draws come from SHA-256, not from ``random``: its methods may change between Python versions, and a
seed must mean the same world for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """A stream of numbers that is a pure function of its name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rolled = 0

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included. Raises ``ValueError`` when there is none."""
        if low > high:
            raise ValueError(f"no number lies from {low} to {high}")
        self._rolled += 1
        data = hashlib.sha256(f"{self._name}/{self._rolled}".encode()).digest()
        return low + int.from_bytes(data[:16], "big") % (high - low + 1)

    def one(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]

    def happens(self, percent: int) -> bool:
        """True in ``percent`` of a hundred rolls."""
        return self.number(1, 100) <= percent

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """``count`` different options, in the order drawn."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(count)]

    def odd(self, low: int, high: int, digits: int = 4) -> int:
        """A number from ``low`` to ``high`` with at most ``digits`` leading digits and zeros behind.

        Amounts that people choose look like this; no two worlds are likely to share one.
        """
        drawn = self.number(low, high)
        unit: int = 10 ** max(0, len(str(drawn)) - digits)
        return max(low, drawn // unit * unit)
