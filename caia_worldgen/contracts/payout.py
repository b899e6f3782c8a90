"""What is paid out over time or by list, in integers: staking rewards, an airdrop's tree, and linear vesting with a
cliff, as StakingPool.sol and OpenZeppelin's MerkleProof and VestingWalletCliff compute it.

Moments are seconds since 1970, lengths are seconds, amounts are in a token's smallest unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from eth_abi import abi
from eth_utils.crypto import keccak

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


def leaf(index: int, account: str, amount: int) -> bytes:
    """The 32-byte leaf of one claim."""
    return keccak(keccak(abi.encode(("uint256", "address", "uint256"), (index, account, amount))))


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over at least one leaf."""
    return _levels(leaves)[-1][0]


def proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The neighbours of leaf ``index`` on the way up."""
    found = []
    for level in _levels(leaves)[:-1]:
        found += level[index ^ 1 : (index ^ 1) + 1]
        index //= 2
    return found


def _levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    levels = [list(leaves)]
    while len(levels[-1]) > 1:
        last = levels[-1]
        pairs = [last[at : at + 2] for at in range(0, len(last), 2)]
        levels.append([keccak(b"".join(sorted(pair))) if len(pair) == 2 else pair[0] for pair in pairs])
    return levels


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
