"""Candles of one kind at any moment: hours, their minutes, and everything made of them, as the vendor writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Final

from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.series import Window
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, Candle, Prices, sum_of
from caia_worldgen.rng import Rng
from caia_worldgen.services.binance_request import invalid_symbol
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


TICK: Final = "0.00000001"
LOT: Final = "0.00010000"
LEVELS: Final = 100
_PPM: Final = 1_000_000


class Market:
    """The coins one market trades, seen at a moment. ``name`` seeds what the market book does not say."""

    def __init__(self, book: MarketBook, name: str, chart: Chart) -> None:
        self.book = book
        self.chart = chart
        self._name = name
        self.quote = next(coin for coin in book.coins if coin.role == "dollar").symbol.upper()
        coins = sorted((coin for coin in book.coins if coin.traded), key=lambda coin: coin.symbol)
        self._coins = {f"{coin.symbol.upper()}{self.quote}": coin for coin in coins}

    def listed(self, now: int) -> dict[str, Coin]:
        """Symbol -> coin of everything that is traded at a moment, sorted."""
        return {symbol: coin for symbol, coin in self._coins.items() if coin.listed_at <= now}

    def coin(self, symbol: str, now: int) -> Coin:
        """The coin of a symbol. Raises ``Refused`` when nobody trades it at that moment."""
        found = self._coins.get(symbol)
        if found is None or found.listed_at > now:
            raise invalid_symbol()
        return found

    def some(self, symbols: list[str] | None, now: int) -> dict[str, Coin]:
        """Everything listed, or the named symbols, in the listing's order."""
        for symbol in symbols or ():
            self.coin(symbol, now)
        return {symbol: coin for symbol, coin in self.listed(now).items() if symbols is None or symbol in symbols}

    def hour(self, now: int) -> int:
        """The hour of the story a moment is in; the last one after its end."""
        return self.book.prices.hour_of(min(now, self.book.prices.end - 1))

    def last_e8(self, coin: Coin, now: int) -> int:
        """The newest price: what the last minute closed at, or the first price of what was just listed."""
        until = self.chart.until(now)
        candle = self.chart.between(coin, until - MINUTE_S, until)
        return self.chart.hour(coin, self.hour(now)).open_e8 if candle is None else candle.close_e8

    def ticker(self, symbol: str, coin: Coin, now: int) -> dict[str, Any]:
        """The 24 hours that ended with the last full minute, as both markets tell them."""
        until = self.chart.until(now)
        start, last = max(until - DAY_S, coin.listed_at), self.last_e8(coin, now)
        day, minute = self.chart.between(coin, start, until), self.chart.between(coin, until - MINUTE_S, until)
        opened = last if day is None else day.open_e8
        volume, quote, count = (0, 0, 0) if day is None else (day.volume_e8, day.quote_e8, day.trades)
        before = self.chart.trades_before(coin, start)
        return {
            "symbol": symbol,
            "priceChange": e8(last - opened),
            "priceChangePercent": rounded(100 * (last - opened), opened, 3),
            "weightedAvgPrice": e8(quote * E8 // volume if volume else 0),
            "lastPrice": e8(last),
            "lastQty": e8(minute.volume_e8 // max(1, minute.trades) if minute else 0),
            "openPrice": e8(opened),
            "highPrice": e8(last if day is None else day.high_e8),
            "lowPrice": e8(last if day is None else day.low_e8),
            "volume": e8(volume),
            "quoteVolume": e8(quote),
            "openTime": (until - DAY_S) * 1000,
            "closeTime": until * 1000 - 1,
            "firstId": before if count else -1,
            "lastId": before + count - 1 if count else -1,
            "count": count,
        }

    def previous_close(self, coin: Coin, now: int) -> str:
        """The close of the minute before the last 24 hours, or the first price."""
        until = self.chart.until(now)
        before = self.chart.between(coin, until - DAY_S - MINUTE_S, until - DAY_S)
        if before is not None:
            return e8(before.close_e8)
        first = self.book.prices.hour_of(coin.listed_at)
        return e8(self.chart.hour(coin, first).open_e8)

    def offers(self, coin: Coin, now: int, most: int = LEVELS) -> tuple[list[list[str]], list[list[str]]]:
        """Bids and asks around the last price, the best first: at most ``LEVELS`` of each."""
        price, sides = self.last_e8(coin, now), []
        for side in (-1, 1):
            rng = Rng(f"{self._name}/{self.book.seed}/{coin.role}/{self.chart.until(now)}/{side}")
            at, offers = price, list[list[str]]()
            for _ in range(min(most, LEVELS)):
                at += side * max(1, price * rng.number(20, 180) // _PPM)
                if at <= 0:
                    break
                amount = rng.number(50_000, 2_500_000) * E8 // price * E8 // 100 // 10_000 * 10_000
                offers.append([e8(at), e8(max(10_000, amount))])
            sides.append(offers)
        return sides[0], sides[1]

    def best(self, symbol: str, coin: Coin, now: int) -> dict[str, str]:
        """The best bid and the best ask; nobody bids less than the smallest price."""
        bids, asks = self.offers(coin, now, 1)
        bid, ask = (bids or [[e8(0), e8(0)]])[0], asks[0]
        return {"symbol": symbol, "bidPrice": bid[0], "bidQty": bid[1], "askPrice": ask[0], "askQty": ask[1]}

    def updates(self, now: int) -> int:
        """The order book's number, which grows with every minute."""
        return (self.chart.until(now) - self.book.prices.first) // MINUTE_S * (HOUR_S // MINUTE_S) + 1
