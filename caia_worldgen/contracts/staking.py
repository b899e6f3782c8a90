"""Staking rewards in integers, as StakingPool.sol computes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

ONE: Final = 10**18


@dataclass(slots=True)
class Pool:
    """One pool's books; times in seconds. ``touched_at`` begins as the block time of the deployment, at most ``end``.

    Refusals are the contract's own: feed this only what succeeded.
    """

    rate_per_s: int
    end: int
    touched_at: int
    total: int = 0
    per_unit: int = 0
    staked: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)

    def per_unit_at(self, at: int) -> int:
        """Rewards of one unit since the beginning, with 18 decimals, rounded down at each touch."""
        if not self.total:
            return self.per_unit
        return self.per_unit + (min(at, self.end) - self.touched_at) * self.rate_per_s * ONE // self.total

    def earned(self, who: str, at: int) -> int:
        """What ``who`` could claim at ``at``."""
        grown = self.per_unit_at(at) - self.seen.get(who, 0)
        return self.pending.get(who, 0) + self.staked.get(who, 0) * grown // ONE

    def stake(self, who: str, amount: int, at: int) -> None:
        """Stake ``amount``, or take it back where it is negative."""
        self._touch(who, at)
        self.staked[who] = self.staked.get(who, 0) + amount
        self.total += amount

    def claim(self, who: str, at: int) -> int:
        """Pay out; returns the amount."""
        self._touch(who, at)
        paid, self.pending[who] = self.pending[who], 0
        return paid

    def _touch(self, who: str, at: int) -> None:
        self.pending[who] = self.earned(who, at)
        self.per_unit = self.per_unit_at(at)
        self.touched_at = min(at, self.end)
        self.seen[who] = self.per_unit
