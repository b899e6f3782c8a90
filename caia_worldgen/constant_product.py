"""A Uniswap v2 pair as integers: what each call must give, so that the scenario knows it without asking the chain.

The rules are those of the deployed pair (swap fee 0.3 per cent, the first 1000 shares locked, protocol fee off), with
its rounding. ``tests`` play both side by side.
"""

from __future__ import annotations

from math import isqrt
from typing import Final

from caia_worldgen.contracts.exchange import v2_out

LOCKED: Final = 1000
"""Shares that the first deposit gives to nobody, for ever."""


class Pool:
    """Reserves of two tokens, 0 and 1 in the pair's own order, and its shares. Amounts in smallest units."""

    def __init__(self) -> None:
        self.reserves = [0, 0]
        self.shares = 0

    def deposit(self, amount0: int, amount1: int) -> int:
        """Add both tokens; the shares that their owner gets. The first deposit also locks ``LOCKED`` shares."""
        if self.shares == 0:
            made = isqrt(amount0 * amount1) - LOCKED
            self.shares = LOCKED
        else:
            made = min(amount0 * self.shares // self.reserves[0], amount1 * self.shares // self.reserves[1])
        if made <= 0:
            raise ValueError("so little liquidity makes no share")
        self.reserves = [self.reserves[0] + amount0, self.reserves[1] + amount1]
        self.shares += made
        return made

    def matched(self, desired0: int, desired1: int) -> tuple[int, int]:
        """The amounts that the router takes of two desired ones: all of one, the other at the pool's price."""
        if self.shares == 0:
            return desired0, desired1
        fitting1 = desired0 * self.reserves[1] // self.reserves[0]
        if fitting1 <= desired1:
            return desired0, fitting1
        return desired1 * self.reserves[0] // self.reserves[1], desired1

    def withdraw(self, shares: int) -> tuple[int, int]:
        """Give shares back; both amounts paid out."""
        paid = (shares * self.reserves[0] // self.shares, shares * self.reserves[1] // self.shares)
        self.reserves = [self.reserves[0] - paid[0], self.reserves[1] - paid[1]]
        self.shares -= shares
        return paid

    def quote(self, side: int, amount_in: int) -> int:
        """What ``amount_in`` of token ``side`` would buy of the other."""
        return v2_out(amount_in, self.reserves[side], self.reserves[1 - side])

    def swap(self, side: int, amount_in: int) -> int:
        """Sell ``amount_in`` of token ``side``; the amount of the other that is paid out."""
        paid = self.quote(side, amount_in)
        if paid <= 0:
            raise ValueError("so little buys nothing")
        self.reserves[side] += amount_in
        self.reserves[1 - side] -= paid
        return paid

    def amount_to_price(self, side: int, numerator: int, denominator: int) -> int:
        """How much of token ``side`` to sell until one unit of it is worth ``numerator / denominator`` of the other.

        0 when it is worth no more already. The swap fee stays out of it, so the price ends a little above.
        """
        target = self.reserves[0] * self.reserves[1] * denominator // numerator
        wanted = isqrt(target) - self.reserves[side]
        return max(0, wanted * 1000 // 997)
