"""The minutes of an hour: candles that add up to the hour's exactly, and tell nothing of what comes after them.

The venue's price of an hour holds until the next, so every minute but the last opens and closes at it and trades
around it, and the last one goes to the next hour's price and reaches the hour's highest and lowest. The first 59 have
half of a quiet hour's business at most; what more there was, and whatever is left over, is in the last one. An hour
that is not over is the minutes that are.
"""

from __future__ import annotations

from typing import Final

from caia_worldgen.market.price import E8, Candle
from caia_worldgen.rng import Rng

MINUTES: Final = 60
_LOT: Final = 10_000
"""Volumes are whole ten-thousandths of a coin."""
_QUIET: Final = 100
_BUSY: Final = 40_000
"""What a move of the price adds to a quiet hour's business, as the market draws it."""


def minutes_of(hour: Candle, name: str) -> tuple[Candle, ...]:
    """Sixty candles whose sum is ``hour``; ``name`` seeds how the business is spread over them."""
    dice, price = Rng(f"minutes/{name}"), hour.open_e8
    top = max(price, price * hour.high_e8 // max(price, hour.close_e8))
    bottom = min(price, -(-price * hour.low_e8 // max(1, min(price, hour.close_e8))))
    extra = abs(hour.close_e8 - price) * _BUSY // max(1, price)
    weights = [dice.number(1, 60) for _ in range(MINUTES - 1)]
    share = (_QUIET, 2 * (_QUIET + extra) * sum(weights))
    made, trades = list[Candle](), 0
    for weight in weights:
        volume = hour.volume_e8 * weight * share[0] // share[1] // _LOT * _LOT
        earlier, trades = trades, trades + hour.trades * weight * share[0]
        count = trades // share[1] - earlier // share[1]
        up, down = dice.number(0, 1_000), dice.number(0, 1_000)
        if not count or not volume:
            made.append(Candle(price, price, price, price, 0, 0, 0, 0, 0))
            trades -= count * share[1]
            continue
        quote, taken = volume * price // E8, hour.taker_volume_e8 * volume // hour.volume_e8 // _LOT * _LOT
        made.append(Candle(price, price + (top - price) * up // 1_000, price - (price - bottom) * down // 1_000, price,
                           volume, quote, count, taken, quote * taken // volume))  # fmt: skip
    return (*made, _rest(hour, made))


def still_minutes(hour: Candle) -> tuple[Candle, ...]:
    """The minutes of a price that is computed and not traded: it stays until the last minute, which has the move."""
    price = hour.open_e8
    return (*[Candle(price, price, price, price, 0, 0, 0, 0, 0)] * (MINUTES - 1), _rest(hour, []))


def _rest(hour: Candle, made: list[Candle]) -> Candle:
    """The last minute: what the others leave of the hour."""
    return Candle(
        hour.open_e8, hour.high_e8, hour.low_e8, hour.close_e8,
        hour.volume_e8 - sum(part.volume_e8 for part in made), hour.quote_e8 - sum(part.quote_e8 for part in made),
        hour.trades - sum(part.trades for part in made),
        hour.taker_volume_e8 - sum(part.taker_volume_e8 for part in made),
        hour.taker_quote_e8 - sum(part.taker_quote_e8 for part in made),
    )  # fmt: skip
