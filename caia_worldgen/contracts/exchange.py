"""What exchanges pay, in integers: pools of two kinds, and the launchpad's linear curve, as Launchpad.sol computes it.

Amounts are in units of 10**-18 token, money is in wei. With ``sold`` units out a whole token of the curve costs
``base_wei + slope_wei * sold / 10**18``; the reserve is the area below that line.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Final

Q96: Final = 1 << 96
_MILLION: Final = 1_000_000


def v2_out(amount_in: int, reserve_in: int, reserve_out: int) -> int:
    """What a v2 pair gives for exactly ``amount_in``; its fee is 0.3 %."""
    kept = amount_in * 997
    return kept * reserve_out // (reserve_in * 1000 + kept)


def v2_in(amount_out: int, reserve_in: int, reserve_out: int) -> int:
    """What a v2 pair takes for exactly ``amount_out``."""
    return reserve_in * amount_out * 1000 // ((reserve_out - amount_out) * 997) + 1


def v3_out(amount_in: int, sqrt_price_x96: int, liquidity: int, fee_pips: int, zero_for_one: bool) -> tuple[int, int]:
    """(amount out, price after) for exactly ``amount_in`` while the liquidity stays the same.

    The price is sqrt(token1 / token0) * 2**96; ``fee_pips`` are millionths. A swap that would cross an
    initialized tick is outside this formula.
    """
    kept = amount_in * (_MILLION - fee_pips) // _MILLION
    if zero_for_one:
        shifted = liquidity << 96
        after = -(-shifted * sqrt_price_x96 // (shifted + kept * sqrt_price_x96))
        return liquidity * (sqrt_price_x96 - after) // Q96, after
    after = sqrt_price_x96 + (kept << 96) // liquidity
    return (liquidity << 96) * (after - sqrt_price_x96) // after // sqrt_price_x96, after


BPS: Final = 10_000
_ONE: Final = 10**18
_SCALE: Final = 2 * _ONE * _ONE


@dataclass(frozen=True, slots=True)
class Trade:
    """``amount`` units change hands; the buyer or seller gave or got ``paid_wei``, of which or beside which is the fee.

    A purchase's ``paid_wei`` includes the fee; a sale's is what is left after it.
    """

    amount: int
    paid_wei: int
    fee_wei: int


@dataclass(slots=True)
class Curve:
    """One token on its curve, up to its graduation."""

    base_wei: int
    slope_wei: int
    fee_bps: int
    sold: int = 0
    raised_wei: int = 0

    def reserve_at(self, sold: int) -> int:
        """The wei that ``sold`` units need, rounded up."""
        return -(-sold * (2 * _ONE * self.base_wei + self.slope_wei * sold) // _SCALE)

    def sold_at(self, raised_wei: int) -> int:
        """The most units a reserve covers, rounded down."""
        start = _ONE * self.base_wei
        return (isqrt(start * start + _SCALE * self.slope_wei * raised_wei) - start) // self.slope_wei

    def price_at(self, sold: int) -> int:
        """Wei per whole token, rounded down."""
        return self.base_wei + self.slope_wei * sold // _ONE

    def buy(self, paid_wei: int) -> Trade:
        """Buy for ``paid_wei``, fee included."""
        fee = paid_wei * self.fee_bps // BPS
        self.raised_wei += paid_wei - fee
        before, self.sold = self.sold, self.sold_at(self.raised_wei)
        return Trade(self.sold - before, paid_wei, fee)

    def sell(self, amount: int) -> Trade:
        """Sell ``amount`` units back."""
        self.sold -= amount
        before, self.raised_wei = self.raised_wei, self.reserve_at(self.sold)
        gross = before - self.raised_wei
        fee = gross * self.fee_bps // BPS
        return Trade(amount, gross - fee, fee)

    def graduation(self) -> tuple[int, int]:
        """(wei, units) that go into the pair of a token that graduates now."""
        return self.raised_wei, self.raised_wei * _ONE // self.price_at(self.sold)
