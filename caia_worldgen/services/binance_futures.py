"""Binance's USD-margined perpetual futures as an API: the vendor's paths, shapes and errors over the market book."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.klines import KEPT_MS
from caia_replay.providers.binance.provider import FUNDING, FUTURES
from caia_replay.providers.binance.series import Window
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, Candle, Positions
from caia_worldgen.rng import Rng
from caia_worldgen.services.binance_chart import Chart, e8, minutes_of, still_minutes
from caia_worldgen.services.binance_market import LOT, TICK, Market
from caia_worldgen.services.binance_request import BinanceRequest, Refused, busy, told
from caia_worldgen.services.service import Answer, Asked
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


WEIGHT_LIMIT: Final = 2_400
_DEFAULT: Final = 500
_MOST: Final = 1_500
_STATISTICS_DEFAULT: Final = 30
_STATISTICS_MOST: Final = 500
_FUNDING_S: Final = 8 * HOUR_S
_SECONDS: Final = frozenset({"1s"})
_NO_PERIODS: Final = frozenset({"1s", "1m", "3m", "8h", "3d", "1w", "1M"})
_FOR_EVER_MS: Final = 4_133_404_800_000
"""What the vendor says a perpetual contract is delivered at."""
_STATISTICS: Final = ("openInterestHist", "globalLongShortAccountRatio", "topLongShortAccountRatio",
                      "topLongShortPositionRatio", "takerlongshortRatio")  # fmt: skip


class BinanceFutures:
    """The service. Pure: what it answers follows from the market book, the request and the moment."""

    origins: tuple[str, ...] = (FUTURES,)

    def __init__(self, book: MarketBook) -> None:
        self._book = book
        contracts, prices = Contracts(book), book.prices
        chart = Chart(prices, contracts.contract, contracts.contract_minutes)
        self._charts = {
            "klines": chart,
            "markPriceKlines": Chart(prices, contracts.mark, contracts.still),
            "indexPriceKlines": Chart(prices, contracts.index, contracts.still),
        }
        self._market = Market(book, "binance futures", chart)
        self._statistics = Statistics(book, chart)
        self._endpoints: Mapping[str, Callable[[BinanceRequest, int], Answer]] = {
            "/fapi/v1/ping": lambda question, now: told({}, 1),
            "/fapi/v1/time": lambda question, now: told({"serverTime": now * 1000}, 1),
            "/fapi/v1/exchangeInfo": self._exchange,
            "/fapi/v1/klines": lambda question, now: self._klines(question, now, "klines"),
            "/fapi/v1/markPriceKlines": lambda question, now: self._klines(question, now, "markPriceKlines"),
            "/fapi/v1/indexPriceKlines": lambda question, now: self._klines(question, now, "indexPriceKlines"),
            "/fapi/v1/premiumIndex": lambda question, now: self._listed(question, now, self._premium, 10),
            "/fapi/v1/fundingRate": self._funding,
            "/fapi/v1/openInterest": self._interest,
            "/fapi/v1/ticker/24hr": lambda question, now: self._listed(question, now, self._market.ticker, 40),
            "/fapi/v1/ticker/price": lambda question, now: self._listed(question, now, self._price, 2),
            "/fapi/v2/ticker/price": lambda question, now: self._listed(question, now, self._price, 2),
        }

    def answer(self, asked: Asked, now: int) -> Answer:
        """What the vendor would say at ``now``; a wrong question is answered with its error."""
        question, name = BinanceRequest(asked), asked.path.removeprefix("/futures/data/")
        try:
            if asked.method == "GET" and asked.path in self._endpoints:
                answer = self._endpoints[asked.path](question, now)
            elif asked.method == "GET" and name in _STATISTICS and name != asked.path:
                answer = self._statistic(question, now, name)
            else:
                return Answer(404, {"code": -5000, "msg": f"Path {asked.path}, Method {asked.method} is invalid"})
            question.done()
        except Refused as refused:
            return refused.answer
        return answer

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return busy(WEIGHT_LIMIT)

    def _klines(self, question: BinanceRequest, now: int, name: str) -> Answer:
        symbol = question.symbol("pair" if name == "indexPriceKlines" else "symbol")
        grid, window = self._grid(question, "interval"), self._window(question, _DEFAULT, _MOST)
        rows = self._charts[name].klines(self._market.coin(symbol, now), grid, window, now)
        weight = next(weight for most, weight in ((99, 1), (499, 2), (1000, 5), (_MOST, 10)) if window.limit <= most)
        return told(rows, weight)

    def _grid(self, question: BinanceRequest, word: str) -> Interval:
        """An interval or a period in UTC: futures know no other zone."""
        if word == "interval" and question.text("timeZone") is not None:
            raise Refused(-1104, "Not all sent parameters were read; parameter 'timeZone' is not known here.")
        return question.grid(word, _SECONDS if word == "interval" else _NO_PERIODS)

    def _window(self, question: BinanceRequest, default: int, most: int) -> Window:
        window = question.window(default, most, strict=True)
        if window.start is not None and window.end is not None and window.start > window.end:
            raise Refused(-1023, "Start time is greater than end time.")
        return window

    def _statistic(self, question: BinanceRequest, now: int, name: str) -> Answer:
        symbol, grid = question.symbol(), self._grid(question, "period")
        window = self._window(question, _STATISTICS_DEFAULT, _STATISTICS_MOST)
        coin, lowest = self._market.coin(symbol, now), now * 1000 - KEPT_MS
        if window.start is not None and window.start < lowest:
            raise Refused(-1130, "parameter 'startTime' is invalid.")
        return told(self._statistics.rows(name, symbol, coin, grid, window, lowest, now), 0)

    def _funding(self, question: BinanceRequest, now: int) -> Answer:
        symbols, window = question.symbols(), self._window(question, FUNDING.default, FUNDING.most)
        top, rows = window.top(now * 1000), []
        for symbol, coin in self._market.some(symbols, now).items():
            first = max(coin.listed_at, -(-(window.start or 0) // 1000))
            last = min((top - 1) // 1000, self._book.prices.end - 1)
            moments = range(-(-first // _FUNDING_S) * _FUNDING_S, last + 1, _FUNDING_S)
            kept = moments[: window.limit] if window.start is not None else moments[-window.limit :]
            rows += [self._payment(symbol, coin, moment) for moment in kept]
        rows.sort(key=lambda row: (row["fundingTime"], row["symbol"]))
        return told(rows[: window.limit] if window.start is not None else rows[-window.limit :], 0)

    def _payment(self, symbol: str, coin: Coin, moment: int) -> dict[str, Any]:
        derivatives = self._book.derivatives
        mark = derivatives.positions(coin, self._book.prices.hour_of(moment)).mark_e8
        rate = e8(derivatives.funding_e8(coin, moment))
        return {"symbol": symbol, "fundingTime": moment * 1000, "fundingRate": rate, "markPrice": e8(mark)}

    def _premium(self, symbol: str, coin: Coin, now: int) -> dict[str, Any]:
        held = self._book.derivatives.positions(coin, self._market.hour(now))
        paid = min(now, self._book.prices.end - 1) // _FUNDING_S * _FUNDING_S
        return {
            "symbol": symbol,
            "markPrice": e8(held.mark_e8),
            "indexPrice": e8(held.index_e8),
            "estimatedSettlePrice": e8(held.index_e8),
            "lastFundingRate": e8(self._book.derivatives.funding_e8(coin, paid) if paid >= coin.listed_at else 0),
            "interestRate": "0.00010000",
            "nextFundingTime": (now // _FUNDING_S + 1) * _FUNDING_S * 1000,
            "time": now * 1000,
        }

    def _interest(self, question: BinanceRequest, now: int) -> Answer:
        symbol = question.symbol()
        held = self._book.derivatives.positions(self._market.coin(symbol, now), self._market.hour(now))
        return told({"symbol": symbol, "openInterest": e8(held.open_interest_e8), "time": now * 1000}, 1)

    def _price(self, symbol: str, coin: Coin, now: int) -> dict[str, Any]:
        return {"symbol": symbol, "price": e8(self._market.last_e8(coin, now)), "time": now * 1000}

    def _listed(
        self, question: BinanceRequest, now: int, entry: Callable[[str, Coin, int], dict[str, Any]], weight: int
    ) -> Answer:
        """One symbol's entry, or everybody's."""
        symbol = question.text("symbol")
        if symbol is not None:
            symbol = question.symbol()
            return told(entry(symbol, self._market.coin(symbol, now), now), 1)
        return told([entry(name, coin, now) for name, coin in self._market.listed(now).items()], weight)

    def _exchange(self, question: BinanceRequest, now: int) -> Answer:
        quote = self._market.quote
        limits = [{"rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": WEIGHT_LIMIT}]
        symbols = [self._symbol(symbol, coin) for symbol, coin in self._market.listed(now).items()]
        content = {
            "exchangeFilters": [], "rateLimits": limits, "serverTime": now * 1000, "timezone": "UTC",
            "futuresType": "U_MARGINED", "symbols": symbols,
            "assets": [{"asset": quote, "marginAvailable": True, "autoAssetExchange": "-10000"}],
        }  # fmt: skip
        return told(content, 1)

    def _symbol(self, symbol: str, coin: Coin) -> dict[str, Any]:
        quote = self._market.quote
        return {
            "symbol": symbol, "pair": symbol, "contractType": "PERPETUAL", "deliveryDate": _FOR_EVER_MS,
            "onboardDate": coin.listed_at * 1000, "status": "TRADING", "maintMarginPercent": "2.5000",
            "requiredMarginPercent": "5.0000", "baseAsset": coin.symbol.upper(), "quoteAsset": quote,
            "marginAsset": quote, "pricePrecision": 8, "quantityPrecision": 4, "baseAssetPrecision": 8,
            "quotePrecision": 8, "underlyingType": "COIN", "underlyingSubType": [], "triggerProtect": "0.0500",
            "liquidationFee": "0.012500", "marketTakeBound": "0.05", "maxMoveOrderLimit": 10_000,
            "filters": [
                {"filterType": "PRICE_FILTER", "minPrice": TICK, "maxPrice": "1000000.00000000", "tickSize": TICK},
                {"filterType": "LOT_SIZE", "minQty": LOT, "maxQty": "9000000000.00000000", "stepSize": LOT},
            ],
            "orderTypes": ["LIMIT", "MARKET"], "timeInForce": ["GTC", "IOC", "FOK"],
        }  # fmt: skip
