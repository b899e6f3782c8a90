"""CoinGecko's series: charts by window or by days, OHLC, and the figures of a past day.

    window                              granularity       points lie at
    up to a day, within the last day    five minutes      multiples of 300 s
    up to 90 days                       an hour           full hours
    more than 90 days                   a day             00:00 UTC, told from 00:35 on

Between full hours the price is that of the hour, as in the market book. A chart by days has one more point, at the
moment it is asked; a chart by window has none. OHLC candles are made of whole hours and bear the time they close at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8
from caia_worldgen.services.coingecko_money import DAY_S, Money, Number, number
from caia_worldgen.venue import HOUR_S

FINE_S: Final = 300
DAILY_LATE_S: Final = 35 * 60
"""How long after midnight the day's point is told."""
HISTORY_DAYS: Final = 365
"""How far back the demo tier may look."""
_HOURLY_DAYS: Final = 90
_INTERVALS: Final = {"hourly": HOUR_S, "daily": DAY_S}
_HALF_HOUR_S: Final = 1_800
OHLC_DAYS: Final = (1, 7, 14, 30, 90, 180, 365)

Rounded = Callable[[Fraction], Number]


def moment_of(text: str) -> int:
    """UNIX seconds, or an ISO day or minute in UTC. Raises ``ValueError`` for anything else."""
    if text.lstrip("-").isdecimal():
        return int(text)
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def days_of(text: str) -> int | None:
    """A number of days; None is "max". Raises ``ValueError`` for anything else."""
    if text == "max":
        return None
    if not text.isdecimal() or not int(text):
        raise ValueError(f"no number of days: {text}")
    return int(text)


class Charts:
    """The series of a book's coins."""

    def __init__(self, money: Money) -> None:
        self._money = money
        self._prices = money.book.prices

    def window(
        self, coin: Coin, currency: str, first: int, last: int, interval: str | None, rounded: Rounded, now: int
    ) -> dict[str, Any]:
        """``/market_chart/range``: what lies from ``first`` to ``last``, nothing after ``now``."""
        if interval is not None:
            step = _INTERVALS[interval]
        elif last - first > _HOURLY_DAYS * DAY_S:
            step = DAY_S
        else:
            step = FINE_S if last - first <= DAY_S and first >= now - DAY_S else HOUR_S
        return self._chart(coin, currency, self._grid(coin, step, first, last, now), rounded)

    def days(
        self, coin: Coin, currency: str, days: int | None, interval: str | None, rounded: Rounded, now: int
    ) -> dict[str, Any]:
        """``/market_chart``: the last ``days`` and the newest point; None is everything."""
        if interval is not None:
            step = _INTERVALS[interval]
        else:
            step = FINE_S if days == 1 else HOUR_S if days and days <= _HOURLY_DAYS else DAY_S
        first = coin.listed_at if days is None else now - days * DAY_S
        moments = list(self._grid(coin, step, first, now, now))
        if coin.listed_at <= now and (not moments or moments[-1] < now):
            moments.append(now)
        return self._chart(coin, currency, moments, rounded)

    def ohlc(self, coin: Coin, currency: str, days: int, rounded: Rounded, now: int) -> list[list[Number]]:
        """``/ohlc``: ``[closing time in ms, open, high, low, close]`` of every candle that is closed."""
        step = _HALF_HOUR_S if days <= 2 else 4 * HOUR_S if days <= 30 else 4 * DAY_S
        found, begun = [], max(now - days * DAY_S, coin.listed_at)
        first = -(-begun // step) * step
        for start in range(first, now - step + 1, step):
            rate = self._money.rate(currency, start)
            bounds = self._bounds(coin, start, start + step)
            found.append([(start + step) * 1_000, *(rounded(Fraction(bound, E8) * rate) for bound in bounds)])
        return found

    def past_day(self, coin: Coin, midnight: int, now: int) -> dict[str, Any] | None:
        """The figures at 00:00 UTC in every currency; None where there are none (yet)."""
        if not coin.listed_at <= midnight or midnight + DAILY_LATE_S > now or midnight < self._prices.first:
            return None
        figures: dict[str, dict[str, Number]] = {"current_price": {}, "market_cap": {}, "total_volume": {}}
        for currency in self._money.currencies:
            price = self._money.price(coin, currency, midnight)
            assert price is not None
            figures["current_price"][currency] = number(price)
            figures["market_cap"][currency] = number(self._money.cap(coin, currency, midnight))
            figures["total_volume"][currency] = number(self._money.volume(coin, currency, midnight))
        return figures

    def sparkline(self, coin: Coin, currency: str, now: int) -> list[Number]:
        """The prices of the last seven days' full hours."""
        moments = self._grid(coin, HOUR_S, now - 7 * DAY_S + 1, now, now)
        return [number(price) for at in moments if (price := self._money.price(coin, currency, at)) is not None]

    def _grid(self, coin: Coin, step: int, first: int, last: int, now: int) -> range:
        late = DAILY_LATE_S if step == DAY_S else 0
        begun = max(first, coin.listed_at, self._prices.first)
        return range(-(-begun // step) * step, min(last, now - late, self._prices.end - 1) + 1, step)

    def _chart(self, coin: Coin, currency: str, moments: Iterable[int], rounded: Rounded) -> dict[str, Any]:
        chart: dict[str, list[list[Number]]] = {"prices": [], "market_caps": [], "total_volumes": []}
        for at in moments:
            price = self._money.price(coin, currency, at)
            assert price is not None
            chart["prices"].append([at * 1_000, rounded(price)])
            chart["market_caps"].append([at * 1_000, number(self._money.cap(coin, currency, at))])
            chart["total_volumes"].append([at * 1_000, number(self._money.volume(coin, currency, at))])
        return chart

    def _bounds(self, coin: Coin, start: int, end: int) -> tuple[int, int, int, int]:
        """Open, high, low and close in dollars times 10^8 from what is known at ``end``: an hour's own high and low
        count once it is over."""
        opened, closed = self._prices.price_e8(coin, start), self._prices.price_e8(coin, end)
        assert opened is not None and closed is not None
        high, low = max(opened, closed), min(opened, closed)
        for hour in range(self._prices.hour_of(start), self._prices.hour_of(end)):
            candle = self._prices.candle(coin, hour)
            high, low = max(high, candle.high_e8), min(low, candle.low_e8)
        return opened, high, low, closed


def past_day_of(text: str) -> int:
    """The midnight of a day written ``dd-mm-yyyy`` (or as ISO has it). Raises ``ValueError``."""
    day, month, year = text.split("-") if len(text.partition("-")[0]) < 3 else reversed(text.split("-"))
    return int(datetime(int(year), int(month), int(day), tzinfo=UTC).timestamp())
