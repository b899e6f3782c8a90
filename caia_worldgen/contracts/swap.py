"""What a swap gives on the two kinds of pools, in their own integers.

Sources: the Uniswap v2 and v3 whitepapers; amounts are in the tokens' smallest units.
"""

from __future__ import annotations

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
