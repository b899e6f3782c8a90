"""A Uniswap v2 pool, and a v3 pool whose liquidity all spans the full range, as integers: what each call must give.

The rules are those of the deployed pair (swap fee 0.3 per cent, the first 1000 shares locked, protocol fee off), and of
the deployed core and position manager (fee 0.3 per cent, tick spacing 60, protocol fee off),
with their rounding. A swap goes in steps: even where no liquidity changes, the core stops at the end of each word of
its tick bitmap, and rounds there. ``tests`` play both side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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


FEE_PIPS: Final = 3_000
"""Millionths of what comes in."""
SPACING: Final = 60
FULL_RANGE: Final = 887_220
"""The widest tick, up and down, that the spacing allows."""

_PIPS: Final = 1_000_000
_Q96: Final = 1 << 96
_Q128: Final = 1 << 128
_WORD: Final = 256
_MOST_TICK: Final = 887_272
_MOST_256: Final = (1 << 256) - 1
_HALVINGS: Final = (
    (0x1, 0xFFFCB933BD6FAD37AA2D162D1A594001),
    (0x2, 0xFFF97272373D413259A46990580E213A),
    (0x4, 0xFFF2E50F5F656932EF12357CF3C7FDCC),
    (0x8, 0xFFE5CACA7E10E4E61C3624EAA0941CD0),
    (0x10, 0xFFCB9843D60F6159C9DB58835C926644),
    (0x20, 0xFF973B41FA98C081472E6896DFB254C0),
    (0x40, 0xFF2EA16466C96A3843EC78B326B52861),
    (0x80, 0xFE5DEE046A99A2A811C461F1969C3053),
    (0x100, 0xFCBE86C7900A88AEDCFFC83B479AA3A4),
    (0x200, 0xF987A7253AC413176F2B074CF7815E54),
    (0x400, 0xF3392B0822B70005940C7A398E4B70F3),
    (0x800, 0xE7159475A2C29B7443B29C7FA6E889D9),
    (0x1000, 0xD097F3BDFD2022B8845AD8F792AA5825),
    (0x2000, 0xA9F746462D870FDF8A65DC1F90E061E5),
    (0x4000, 0x70D869A156D2A1B890BB3DF62BAF32F7),
    (0x8000, 0x31BE135F97D08FD981231505542FCFA6),
    (0x10000, 0x9AA508B5B7A84E1C677DE54F3E99BC9),
    (0x20000, 0x5D6AF8DEDB81196699C329225EE604),
    (0x40000, 0x2216E584F5FA1EA926041BEDFE98),
    (0x80000, 0x48A170391F7DC42444E8FA2),
)
"""The core's own constants: 2**128 times the square root of 1.0001 to the power of minus each bit."""


@dataclass(slots=True)
class Position:
    """Somebody's share. ``seen`` is the fee growth it was last settled at, ``owed`` what it may collect."""

    liquidity: int = 0
    seen: list[int] = field(default_factory=lambda: [0, 0])
    owed: list[int] = field(default_factory=lambda: [0, 0])

    def settle(self, growth: list[int]) -> None:
        """Take the fees since the last time into ``owed``."""
        for side in (0, 1):
            self.owed[side] += (growth[side] - self.seen[side]) * self.liquidity // _Q128
        self.seen = list(growth)


class RangePool:
    """Square root of the price (token 1 per token 0, times 2**96), tick and liquidity. Amounts in smallest units."""

    def __init__(self, sqrt_price_x96: int) -> None:
        self.sqrt_price_x96 = sqrt_price_x96
        self.tick = tick_at(sqrt_price_x96)
        self.growth = [0, 0]
        self.positions: list[Position] = []
        self._whole = Position()  # the core knows one position, the manager's, which all the others are parts of

    @property
    def liquidity(self) -> int:
        """The sum over all positions."""
        return self._whole.liquidity

    def deposit(self, desired0: int, desired1: int) -> tuple[int, int, int]:
        """A new position of what fits at the pool's price: its liquidity and both amounts taken."""
        here, low, high = self.sqrt_price_x96, *_ENDS
        made = min(desired0 * (here * high // _Q96) // (high - here), desired1 * _Q96 // (here - low))
        if made <= 0:
            raise ValueError("so little makes no liquidity")
        self._whole.settle(self.growth)
        self._whole.liquidity += made
        self.positions.append(Position(made, list(self.growth)))
        return made, _amount0(here, high, made, up=True), _amount1(low, here, made, up=True)

    def collect(self, number: int) -> tuple[int, int]:
        """Pay a position's fees out; ``number`` counts the deposits from 0. The core may owe a unit less than it."""
        position = self.positions[number]
        self._whole.settle(self.growth)
        position.settle(self.growth)
        paid = [min(asked, owed) for asked, owed in zip(position.owed, self._whole.owed, strict=True)]
        position.owed = [0, 0]
        self._whole.owed = [owed - out for owed, out in zip(self._whole.owed, paid, strict=True)]
        return paid[0], paid[1]

    def quote(self, side: int, amount_in: int) -> int:
        """What ``amount_in`` of token ``side`` would buy of the other."""
        return self._run(side, amount_in)[0]

    def swap(self, side: int, amount_in: int) -> int:
        """Sell ``amount_in`` of token ``side``; the amount of the other that is paid out."""
        paid, sqrt_price, tick, growth = self._run(side, amount_in)
        if paid <= 0:
            raise ValueError("so little buys nothing")
        self.sqrt_price_x96, self.tick = sqrt_price, tick
        self.growth[side] += growth
        return paid

    def amount_to_price(self, numerator: int, denominator: int) -> tuple[int, int]:
        """(side, amount) to sell until token 0 is worth ``numerator / denominator`` of token 1, fee included."""
        target, here = sqrt_price_of(numerator, denominator), self.sqrt_price_x96
        if target < here:
            return 0, _amount0(target, here, self.liquidity, up=True) * _PIPS // (_PIPS - FEE_PIPS)
        return 1, _amount1(here, target, self.liquidity, up=True) * _PIPS // (_PIPS - FEE_PIPS)

    def _run(self, side: int, left: int) -> tuple[int, int, int, int]:
        """(paid, price, tick, fee growth) after selling ``left`` of token ``side``, step by step."""
        price, tick, paid, growth = self.sqrt_price_x96, self.tick, 0, 0
        while left > 0:
            edge = _edge(tick, side)
            target = sqrt_ratio(edge)
            after, come, gone, fee = self._step(price, target, left, side)
            left -= come + fee
            paid += gone
            growth += fee * _Q128 // self.liquidity
            if after == target:
                tick = edge - 1 if side == 0 else edge
            elif after != price:
                tick = tick_at(after)
            price = after
        return paid, price, tick, growth

    def _step(self, here: int, target: int, left: int, side: int) -> tuple[int, int, int, int]:
        """(price after, amount in, amount out, fee) of one step towards ``target``."""
        kept, whole = left * (_PIPS - FEE_PIPS) // _PIPS, self.liquidity
        delta = _amount0 if side == 0 else _amount1
        other = _amount1 if side == 0 else _amount0
        low, high = sorted((here, target))
        come = delta(low, high, whole, up=True)
        after = target if kept >= come else _price_after(here, whole, kept, side)
        low, high = sorted((here, after))
        if after != target:
            come = delta(low, high, whole, up=True)
        fee = left - come if after != target else _up(come * FEE_PIPS, _PIPS - FEE_PIPS)
        return after, come, other(low, high, whole, up=False), fee


def sqrt_price_of(numerator: int, denominator: int) -> int:
    """The root price at which token 0 is worth ``numerator / denominator`` of token 1, both in smallest units."""
    return isqrt((numerator << 192) // denominator)


def sqrt_ratio(tick: int) -> int:
    """The core's root price of a tick: 1.0001 to the power of half of it, times 2**96, rounded up."""
    ratio = _Q128
    for bit, factor in _HALVINGS:
        if abs(tick) & bit:
            ratio = ratio * factor >> 128
    if tick > 0:
        ratio = _MOST_256 // ratio
    return _up(ratio, 1 << 32)


def tick_at(sqrt_price_x96: int) -> int:
    """The highest tick whose root price is no higher."""
    low, high = -_MOST_TICK, _MOST_TICK
    while low < high:
        middle = (low + high + 1) // 2
        if sqrt_ratio(middle) <= sqrt_price_x96:
            low = middle
        else:
            high = middle - 1
    return low


def _edge(tick: int, side: int) -> int:
    """Where a step ends at the latest: the end of the tick's word in the bitmap, in which nothing else begins."""
    place = tick // SPACING + side
    first = place // _WORD * _WORD
    edge = (first if side == 0 else first + _WORD - 1) * SPACING
    return max(-FULL_RANGE, min(FULL_RANGE, edge))


def _price_after(here: int, liquidity: int, amount: int, side: int) -> int:
    if side == 1:
        return here + (amount << 96) // liquidity
    shifted = liquidity << 96
    if amount == 0:
        return here
    if amount * here <= _MOST_256 and shifted + amount * here <= _MOST_256:
        return _up(shifted * here, shifted + amount * here)
    return _up(shifted, shifted // here + amount)


def _amount0(low: int, high: int, liquidity: int, *, up: bool) -> int:
    product = (liquidity << 96) * (high - low)
    return _up(_up(product, high), low) if up else product // high // low


def _amount1(low: int, high: int, liquidity: int, *, up: bool) -> int:
    product = liquidity * (high - low)
    return _up(product, _Q96) if up else product // _Q96


def _up(number: int, divisor: int) -> int:
    return -(-number // divisor)


_ENDS: Final = (sqrt_ratio(-FULL_RANGE), sqrt_ratio(FULL_RANGE))
