"""Candles of one kind at any moment: hours, their minutes, and everything made of them, as the vendor writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Final

from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.series import Window
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, Candle, Prices, sum_of
from caia_worldgen.rng import Rng
from caia_worldgen.venue import HOUR_S

MINUTE_S: Final = 60
DAY_S: Final = 24 * HOUR_S
_KEPT_HOURS: Final = 20_000


class Chart:
    """One kind of candles. ``hourly`` gives an hour of a coin, ``split`` its sixty minutes."""

    def __init__(
        self,
        prices: Prices,
        hourly: Callable[[Coin, int], Candle],
        split: Callable[[Coin, int, Candle], tuple[Candle, ...]],
    ) -> None:
        self._prices = prices
        self._hourly = hourly
        self._split = split
        self._minutes: dict[tuple[str, int], tuple[Candle, ...]] = {}
        self._trades: dict[str, list[int]] = {}

    def hour(self, coin: Coin, hour: int) -> Candle:
        """One whole hour of the story."""
        return self._hourly(coin, hour)

    def until(self, now: int) -> int:
        """The end of the newest minute that is over."""
        return min(now, self._prices.end) // MINUTE_S * MINUTE_S

    def between(self, coin: Coin, start: int, end: int) -> Candle | None:
        """Everything from one full minute to another as one candle; None when the coin had no minute in it."""
        start = max(start, coin.listed_at)
        parts = list(self._parts(coin, start, end))
        return sum_of(parts) if parts else None

    def trades_before(self, coin: Coin, moment: int) -> int:
        """How many trades there were before a full minute, since the coin was listed."""
        first = self._prices.hour_of(coin.listed_at)
        if coin.id not in self._trades:
            counts = (self._hourly(coin, hour).trades for hour in range(first, self._prices.hours))
            self._trades[coin.id] = [0, *accumulate(counts)]
        hours = max(0, (moment - self._prices.first) // HOUR_S - first)
        begun = self._prices.first + (first + hours) * HOUR_S
        return self._trades[coin.id][hours] + sum(part.trades for part in self._parts(coin, begun, moment))

    def klines(self, coin: Coin, grid: Interval, window: Window, now: int) -> list[list[Any]]:
        """The vendor's rows of a window. A window with a start keeps the first rows, one without the last."""
        until = self.until(now)
        if until <= coin.listed_at:
            return []
        earliest = grid.floor(coin.listed_at * 1000)
        latest = grid.floor(min(until * 1000 - 1, window.top(now * 1000) - 1))
        openings = list[int]()
        if window.start is not None:
            at = grid.ceil(max(min(window.start, now * 1000 + 1), earliest))
            while at <= latest and len(openings) < window.limit:
                openings.append(at)
                at = grid.next(at)
        else:
            at = latest
            while at >= earliest and len(openings) < window.limit:
                openings.append(at)
                at = grid.floor(at - 1)
            openings.reverse()
        return [self._row(coin, opening, grid.next(opening), until) for opening in openings]

    def _row(self, coin: Coin, opening: int, closing: int, until: int) -> list[Any]:
        candle = self.between(coin, opening // 1000, min(closing // 1000, until))
        if candle is None:
            raise ValueError(f"{coin.id} has no candle at {opening}")
        return row_of(candle, opening, closing - 1)

    def _parts(self, coin: Coin, start: int, end: int) -> Iterator[Candle]:
        """Whole hours where they are whole, and minutes at both ends."""
        at, first = start, self._prices.first
        while at < end:
            hour, into = divmod(at - first, HOUR_S)
            stop = min(end, first + (hour + 1) * HOUR_S)
            if stop - at == HOUR_S:
                yield self._hourly(coin, hour)
            else:
                yield from self._of_hour(coin, hour)[into // MINUTE_S : (into + stop - at) // MINUTE_S]
            at = stop

    def _of_hour(self, coin: Coin, hour: int) -> tuple[Candle, ...]:
        found = self._minutes.get((coin.id, hour))
        if found is None:
            if len(self._minutes) >= _KEPT_HOURS:
                self._minutes.clear()
            found = self._minutes[coin.id, hour] = self._split(coin, hour, self._hourly(coin, hour))
        return found


def row_of(candle: Candle, opening: int, closing: int) -> list[Any]:
    """A candle as the vendor's twelve fields."""
    return [
        opening, e8(candle.open_e8), e8(candle.high_e8), e8(candle.low_e8), e8(candle.close_e8), e8(candle.volume_e8),
        closing, e8(candle.quote_e8), candle.trades, e8(candle.taker_volume_e8), e8(candle.taker_quote_e8), "0",
    ]  # fmt: skip


def e8(number: int) -> str:
    """A whole number of hundred-millionths as a decimal text with eight digits."""
    return f"{'-' if number < 0 else ''}{abs(number) // E8}.{abs(number) % E8:08d}"


def rounded(numerator: int, denominator: int, digits: int) -> str:
    """A fraction as a decimal text, rounded half away from zero."""
    scale = 10**digits
    whole = (2 * abs(numerator) * scale + denominator) // (2 * denominator)
    return f"{'-' if numerator < 0 and whole else ''}{whole // scale}.{whole % scale:0{digits}d}"


MINUTES: Final = 60
_LOT: Final = 10_000
"""Volumes are whole ten-thousandths of a coin."""
_QUIET: Final = 100
_BUSY: Final = 40_000
"""What a move of the price adds to a quiet hour's business, as the market draws it."""


def minutes_of(hour: Candle, name: str) -> tuple[Candle, ...]:
    """Sixty candles whose sum is ``hour``; ``name`` seeds how the business is spread over them."""
    rng, price = Rng(f"minutes/{name}"), hour.open_e8
    top = max(price, price * hour.high_e8 // max(price, hour.close_e8))
    bottom = min(price, -(-price * hour.low_e8 // max(1, min(price, hour.close_e8))))
    extra = abs(hour.close_e8 - price) * _BUSY // max(1, price)
    weights = [rng.number(1, 60) for _ in range(MINUTES - 1)]
    share = (_QUIET, 2 * (_QUIET + extra) * sum(weights))
    made, trades = list[Candle](), 0
    for weight in weights:
        volume = hour.volume_e8 * weight * share[0] // share[1] // _LOT * _LOT
        earlier, trades = trades, trades + hour.trades * weight * share[0]
        count = trades // share[1] - earlier // share[1]
        up, down = rng.number(0, 1_000), rng.number(0, 1_000)
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
