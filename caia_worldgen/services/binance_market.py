"""One market of the venue's at a moment, in what spot and futures have in common: tickers, offers, trades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8
from caia_worldgen.rng import Rng
from caia_worldgen.services.binance_chart import DAY_S, MINUTE_S, Chart, e8, rounded
from caia_worldgen.services.binance_request import invalid_symbol
from caia_worldgen.venue import HOUR_S

TICK: Final = "0.00000001"
LOT: Final = "0.00010000"
LEVELS: Final = 20
TRADES: Final = 20
"""How many of the trades of its last full minute the venue tells one by one; it keeps no others."""
_LOT_E8: Final = 10_000
_PPM: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Trade:
    """One trade: its number since the coin was listed, and when it was, in milliseconds. ``is_sale`` is whether the
    seller took a bid."""

    number: int
    price_e8: int
    volume_e8: int
    at_ms: int
    is_sale: bool


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

    def trades(self, coin: Coin, now: int, most: int) -> list[Trade]:
        """The newest trades of the last full minute, oldest first; it has as many, of the same volume in all, and ends
        at the same price."""
        until = self.chart.until(now)
        minute, after = self.chart.between(coin, until - MINUTE_S, until), self.chart.trades_before(coin, until)
        if minute is None or not minute.trades:
            return []
        rng = Rng(f"{self._name}/{self.book.seed}/{coin.role}/{until}/trades")
        lots, bought = minute.volume_e8 // _LOT_E8, minute.taker_volume_e8 // _LOT_E8
        cuts = sorted(rng.number(0, lots) for _ in range(minute.trades - 1))
        sizes = [end - begin for begin, end in zip([0, *cuts], [*cuts, lots], strict=True)]
        moments = sorted(rng.number(0, MINUTE_S * 1_000 - 1) for _ in sizes)
        prices = [rng.number(minute.low_e8, minute.high_e8) for _ in sizes[1:]] + [minute.close_e8]
        found, taken = list[Trade](), 0
        for number, (size, at, price) in enumerate(zip(sizes, moments, prices, strict=True)):
            taken += size
            found.append(
                Trade(after - len(sizes) + number, price, size * _LOT_E8, (until - MINUTE_S) * 1_000 + at,
                      taken > bought)
            )  # fmt: skip
        return found[-min(most, TRADES) :]

    def best(self, symbol: str, coin: Coin, now: int) -> dict[str, str]:
        """The best bid and the best ask; nobody bids less than the smallest price."""
        bids, asks = self.offers(coin, now, 1)
        bid, ask = (bids or [[e8(0), e8(0)]])[0], asks[0]
        return {"symbol": symbol, "bidPrice": bid[0], "bidQty": bid[1], "askPrice": ask[0], "askQty": ask[1]}

    def updates(self, now: int) -> int:
        """The order book's number, which grows with every minute."""
        return (self.chart.until(now) - self.book.prices.first) // MINUTE_S * (HOUR_S // MINUTE_S) + 1
