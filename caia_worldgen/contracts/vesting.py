"""Linear vesting with a cliff in integers, as OpenZeppelin's VestingWalletCliff computes it.

Moments are seconds since 1970, lengths are seconds, amounts are in a token's smallest unit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """``total`` is released from ``start`` on over ``duration`` seconds, and nothing of it before ``cliff``."""

    start: int
    cliff: int
    duration: int
    total: int

    @property
    def end(self) -> int:
        """The first moment at which everything is vested."""
        return self.start + self.duration

    def vested(self, moment: int) -> int:
        """How much has vested at ``moment``, rounded down."""
        if moment < max(self.start, self.cliff):
            return 0
        if moment >= self.end:
            return self.total
        return self.total * (moment - self.start) // self.duration
