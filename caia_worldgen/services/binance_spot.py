"""Binance's spot market as an API: the vendor's paths, parameters, shapes and errors over the world's market book.

Not here, and refused with the vendor's error: trades of before the last full minute (the market book knows how many
there were, not which) and candles of a second. Rolling windows other than the 24-hour ticker are refused too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from caia_replay.providers.binance.provider import BOOK_MOST, SPOT, SPOT_DATA
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, Candle
from caia_worldgen.services.binance_chart import MINUTE_S, Chart, e8, minutes_of
from caia_worldgen.services.binance_market import LOT, TICK, Market, Trade
from caia_worldgen.services.binance_request import BinanceRequest, Refused, busy, not_supported, told
from caia_worldgen.services.service import Answer, Asked

WEIGHT_LIMIT: Final = 6_000
_DEFAULT: Final = 500
_MOST: Final = 1_000
_AVERAGE_MINUTES: Final = 5
_SECONDS: Final = frozenset({"1s"})
_NOT_MINI: Final = ("priceChange", "priceChangePercent", "weightedAvgPrice", "lastQty")
_NOT_SERVED: Final = frozenset(f"/api/v3/{name}" for name in ("historicalTrades", "ticker", "ticker/tradingDay"))


class BinanceSpot:
    """The service. Pure: what it answers follows from the market book, the request and the moment."""

    origins: tuple[str, ...] = (SPOT, SPOT_DATA)

    def __init__(self, book: MarketBook) -> None:
        chart = Chart(book.prices, book.prices.candle, lambda coin, hour, candle: _minutes(book, coin, hour, candle))
        self._market = Market(book, "binance spot", chart)
        self._endpoints: Mapping[str, Callable[[BinanceRequest, int], Answer]] = {
            "/api/v3/ping": lambda question, now: told({}, 1),
            "/api/v3/time": lambda question, now: told({"serverTime": now * 1000}, 1),
            "/api/v3/exchangeInfo": self._exchange,
            "/api/v3/klines": self._klines,
            "/api/v3/uiKlines": self._klines,
            "/api/v3/ticker/24hr": self._day,
            "/api/v3/ticker/price": self._price,
            "/api/v3/ticker/bookTicker": self._best,
            "/api/v3/avgPrice": self._average,
            "/api/v3/depth": self._depth,
            "/api/v3/trades": self._trades,
            "/api/v3/aggTrades": self._sums,
        }

    def answer(self, asked: Asked, now: int) -> Answer:
        """What the vendor would say at ``now``; a wrong question is answered with its error."""
        endpoint = self._endpoints.get(asked.path)
        if asked.method != "GET" or (endpoint is None and asked.path not in _NOT_SERVED):
            return Answer(404, {"code": -1000, "msg": f"No such endpoint: {asked.method} {asked.path}"})
        question = BinanceRequest(asked)
        try:
            if endpoint is None:
                raise not_supported()
            answer = endpoint(question, now)
            question.done()
        except Refused as refused:
            return refused.answer
        return answer

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return busy(WEIGHT_LIMIT)

    def _klines(self, question: BinanceRequest, now: int) -> Answer:
        symbol = question.symbol()
        grid, window = question.grid("interval", _SECONDS), question.window(_DEFAULT, _MOST)
        return told(self._market.chart.klines(self._market.coin(symbol, now), grid, window, now), 2)

    def _exchange(self, question: BinanceRequest, now: int) -> Answer:
        listed = self._market.some(question.symbols(), now)
        content = {
            "timezone": "UTC",
            "serverTime": now * 1000,
            "rateLimits": [
                {"rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": WEIGHT_LIMIT},
                {"rateLimitType": "RAW_REQUESTS", "interval": "MINUTE", "intervalNum": 5, "limit": 61_000},
            ],
            "exchangeFilters": [],
            "symbols": [self._symbol(symbol, coin) for symbol, coin in listed.items()],
        }
        return told(content, 20)

    def _symbol(self, symbol: str, coin: Coin) -> dict[str, Any]:
        return {
            "symbol": symbol,
            "status": "TRADING",
            "baseAsset": coin.symbol.upper(),
            "baseAssetPrecision": 8,
            "quoteAsset": self._market.quote,
            "quotePrecision": 8,
            "quoteAssetPrecision": 8,
            "baseCommissionPrecision": 8,
            "quoteCommissionPrecision": 8,
            "orderTypes": ["LIMIT", "LIMIT_MAKER", "MARKET"],
            "icebergAllowed": False,
            "ocoAllowed": False,
            "otoAllowed": False,
            "quoteOrderQtyMarketAllowed": True,
            "allowTrailingStop": False,
            "cancelReplaceAllowed": False,
            "isSpotTradingAllowed": True,
            "isMarginTradingAllowed": False,
            "filters": [
                {"filterType": "PRICE_FILTER", "minPrice": TICK, "maxPrice": "1000000.00000000", "tickSize": TICK},
                {"filterType": "LOT_SIZE", "minQty": LOT, "maxQty": "9000000000.00000000", "stepSize": LOT},
            ],
            "permissions": [],
            "permissionSets": [["SPOT"]],
            "defaultSelfTradePreventionMode": "NONE",
            "allowedSelfTradePreventionModes": ["NONE"],
        }

    def _day(self, question: BinanceRequest, now: int) -> Answer:
        symbols, kind = question.symbols(), question.text("type") or "FULL"
        if kind not in ("FULL", "MINI"):
            raise question.invalid("type")
        entries = []
        for symbol, coin in self._market.some(symbols, now).items():
            entry = self._market.ticker(symbol, coin, now)
            if kind == "MINI":
                entry = {name: value for name, value in entry.items() if name not in _NOT_MINI}
            else:
                entry |= self._market.best(symbol, coin, now)
                entry["prevClosePrice"] = self._market.previous_close(coin, now)
            entries.append(entry)
        return told(_one_or_all(question, entries), 2 if len(entries) == 1 else 80)

    def _price(self, question: BinanceRequest, now: int) -> Answer:
        listed = self._market.some(question.symbols(), now)
        entries = [{"symbol": symbol, "price": e8(self._market.last_e8(coin, now))} for symbol, coin in listed.items()]
        return told(_one_or_all(question, entries), 2 if len(entries) == 1 else 4)

    def _best(self, question: BinanceRequest, now: int) -> Answer:
        listed = self._market.some(question.symbols(), now)
        entries = [self._market.best(symbol, coin, now) for symbol, coin in listed.items()]
        return told(_one_or_all(question, entries), 2 if len(entries) == 1 else 4)

    def _average(self, question: BinanceRequest, now: int) -> Answer:
        coin, chart = self._market.coin(question.symbol(), now), self._market.chart
        until = chart.until(now)
        part = chart.between(coin, until - _AVERAGE_MINUTES * MINUTE_S, until)
        price = part.quote_e8 * E8 // part.volume_e8 if part and part.volume_e8 else self._market.last_e8(coin, now)
        return told({"mins": _AVERAGE_MINUTES, "price": e8(price), "closeTime": until * 1000 - 1}, 2)

    def _depth(self, question: BinanceRequest, now: int) -> Answer:
        coin, limit = self._market.coin(question.symbol(), now), question.number("limit")
        if limit == 0:
            raise question.invalid("limit")
        most = 100 if limit is None else min(limit, BOOK_MOST)
        bids, asks = self._market.offers(coin, now, most)
        content = {"lastUpdateId": self._market.updates(now), "bids": bids, "asks": asks}
        return told(content, next(weight for depth, weight in ((100, 5), (500, 25), (1000, 50), (BOOK_MOST, 250))
                                  if most <= depth))  # fmt: skip

    def _trades(self, question: BinanceRequest, now: int) -> Answer:
        rows = [
            {
                "id": one.number, "price": e8(one.price_e8), "qty": e8(one.volume_e8),
                "quoteQty": e8(one.price_e8 * one.volume_e8 // E8), "time": one.at_ms, "isBuyerMaker": one.is_sale,
                "isBestMatch": True,
            }
            for one in self._newest(question, now)
        ]  # fmt: skip
        return told(rows, 25)

    def _sums(self, question: BinanceRequest, now: int) -> Answer:
        """No two trades were one order's at one price."""
        if any(question.text(name) is not None for name in ("fromId", "startTime", "endTime")):
            raise not_supported()
        rows = [
            {"a": one.number, "p": e8(one.price_e8), "q": e8(one.volume_e8), "f": one.number, "l": one.number,
             "T": one.at_ms, "m": one.is_sale, "M": True}
            for one in self._newest(question, now)
        ]  # fmt: skip
        return told(rows, 4)

    def _newest(self, question: BinanceRequest, now: int) -> list[Trade]:
        coin, limit = self._market.coin(question.symbol(), now), question.number("limit")
        if limit == 0:
            raise question.invalid("limit")
        return self._market.trades(coin, now, _DEFAULT if limit is None else min(limit, _MOST))


def _minutes(book: MarketBook, coin: Coin, hour: int, candle: Candle) -> tuple[Candle, ...]:
    return minutes_of(candle, f"{book.seed}/spot/{coin.role}/{hour}")


def _one_or_all(question: BinanceRequest, entries: list[Any]) -> Any:
    """One symbol is answered with an entry, several and all with a list."""
    return entries[0] if question.text("symbol") is not None else entries
