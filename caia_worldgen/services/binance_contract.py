"""The perpetual futures' own candles, from the market book's positions: contract, mark and index, and the statistics.

    contract   opens at the hour's mark price and closes at the next hour's; its wicks are the spot hour's, its volume
               a multiple of spot's that is the coin's own
    mark       from the hour's mark price to the next hour's, and nothing beyond them
    index      the spot hour's prices

Statistics of positions are those of the first second of their hour, and hold until the next; what takers bought and
sold is summed over the period, once it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.series import Window
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.derivative import Positions
from caia_worldgen.market.price import E8, Candle
from caia_worldgen.rng import Rng
from caia_worldgen.services.binance_chart import Chart, e8
from caia_worldgen.services.binance_minute import minutes_of, still_minutes
from caia_worldgen.venue import HOUR_S

_LOT: Final = 10_000
_SHARES: Final = 10_000
"""Shares of longs have four digits."""


@dataclass(frozen=True, slots=True)
class Contracts:
    """Everything that follows from the book's positions, hour by hour."""

    book: MarketBook

    def contract(self, coin: Coin, hour: int) -> Candle:
        """An hour of the contract's trading."""
        spot, opened, closed = self.book.prices.candle(coin, hour), self.mark_e8(coin, hour), self._next_e8(coin, hour)
        times = Rng(f"contract/{self.book.seed}/{coin.role}/depth").number(14, 47)
        volume = spot.volume_e8 * times // 10 // _LOT * _LOT
        taken = Rng(f"contract/{self.book.seed}/{coin.role}/{hour}").number(370, 630)
        takers, middle = volume * taken // 1_000 // _LOT * _LOT, (opened + closed) // 2
        top, bottom = max(spot.open_e8, spot.close_e8), max(1, min(spot.open_e8, spot.close_e8))
        return Candle(
            opened, max(opened, closed) * spot.high_e8 // top, -(-min(opened, closed) * spot.low_e8 // bottom), closed,
            volume, volume * middle // E8, spot.trades * times // 10, takers, takers * middle // E8,
        )  # fmt: skip

    def contract_minutes(self, coin: Coin, hour: int, candle: Candle) -> tuple[Candle, ...]:
        """The minutes of an hour of the contract."""
        return minutes_of(candle, f"{self.book.seed}/contract/{coin.role}/{hour}")

    def mark(self, coin: Coin, hour: int) -> Candle:
        """An hour of the mark price, which nobody trades at."""
        opened, closed = self.mark_e8(coin, hour), self._next_e8(coin, hour)
        return Candle(opened, max(opened, closed), min(opened, closed), closed, 0, 0, 0, 0, 0)

    def index(self, coin: Coin, hour: int) -> Candle:
        """An hour of the index: spot's prices without its trades."""
        spot = self.book.prices.candle(coin, hour)
        return Candle(spot.open_e8, spot.high_e8, spot.low_e8, spot.close_e8, 0, 0, 0, 0, 0)

    def still(self, coin: Coin, hour: int, candle: Candle) -> tuple[Candle, ...]:
        """The minutes of a price nobody trades at."""
        return still_minutes(candle)

    def mark_e8(self, coin: Coin, hour: int) -> int:
        """The mark price at the first second of an hour."""
        return self.book.derivatives.positions(coin, hour).mark_e8

    def _next_e8(self, coin: Coin, hour: int) -> int:
        return self.mark_e8(coin, min(hour + 1, self.book.prices.hours - 1))


class Statistics:
    """The vendor's five statistics of a contract."""

    def __init__(self, book: MarketBook, chart: Chart) -> None:
        self._book = book
        self._chart = chart

    def rows(
        self, name: str, symbol: str, coin: Coin, grid: Interval, window: Window, lowest: int, now: int
    ) -> list[Any]:
        """The rows of a window, the newest where there are more than its limit; none from before ``lowest``."""
        at = grid.ceil(max(lowest, window.start or 0, coin.listed_at * 1000))
        top = min(window.top(now * 1000), self._book.prices.end * 1000)
        moments = []
        while at < top and (name != "takerlongshortRatio" or grid.next(at) <= now * 1000):
            moments.append(at)
            at = grid.next(at)
        return [self._row(name, symbol, coin, grid, moment) for moment in moments[-window.limit :]]

    def _row(self, name: str, symbol: str, coin: Coin, grid: Interval, moment: int) -> dict[str, Any]:
        if name == "takerlongshortRatio":
            return self._takers(coin, moment // 1000, grid.next(moment) // 1000) | {"timestamp": moment}
        held = self._book.derivatives.positions(coin, (moment // 1000 - self._book.prices.first) // HOUR_S)
        if name == "openInterestHist":
            value = held.open_interest_e8 * held.mark_e8 // E8
            return {"symbol": symbol, "sumOpenInterest": e8(held.open_interest_e8), "sumOpenInterestValue": e8(value),
                    "timestamp": moment}  # fmt: skip
        return {"symbol": symbol, **_long_and_short(_longs(name, held)), "timestamp": moment}

    def _takers(self, coin: Coin, start: int, end: int) -> dict[str, str]:
        part = self._chart.between(coin, start, end)
        bought = part.taker_volume_e8 if part else 0
        sold = part.volume_e8 - bought if part else 0
        return {"buySellRatio": _four(bought, sold), "buyVol": e8(bought)[:-4], "sellVol": e8(sold)[:-4]}


def _longs(name: str, held: Positions) -> int:
    """The share of longs in millionths: of all accounts, of the largest accounts, or of their positions."""
    return {
        "globalLongShortAccountRatio": held.long_ppm,
        "topLongShortAccountRatio": held.top_long_ppm,
        "topLongShortPositionRatio": held.top_size_long_ppm,
    }[name]


def _long_and_short(long_ppm: int) -> dict[str, str]:
    longs = long_ppm // 100
    shorts = _SHARES - longs
    return {"longAccount": _four(longs, _SHARES), "shortAccount": _four(shorts, _SHARES),
            "longShortRatio": _four(longs, shorts)}  # fmt: skip


def _four(numerator: int, denominator: int) -> str:
    """A fraction with four digits, cut; nothing divided by nothing is 0."""
    parts = numerator * 10_000 // denominator if denominator else 0
    return f"{parts // 10_000}.{parts % 10_000:04d}"
