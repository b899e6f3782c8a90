"""The synthetic venue, spot and futures: the vendor's description, its refusals, and figures of one market book."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.providers.binance.provider import SPOT
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.price import E8, Candle, sum_of
from caia_worldgen.services.binance_chart import MINUTES, e8, minutes_of
from caia_worldgen.services.binance_futures import BinanceFutures
from caia_worldgen.services.binance_spot import BinanceSpot
from caia_worldgen.services.service import Answer, Asked
from tests.vendor_description import VendorDescription

pytestmark = pytest.mark.check
NOW_S = 97 * 86_400 + 19_817


def ask(book: MarketBook, path: str, now: int | None = None, **parameters: Any) -> Answer:
    """What the service answers well after the story's beginning."""
    asked = Asked("GET", f"/api/v3/{path}", {name: str(value) for name, value in parameters.items()})
    return BinanceSpot(book).answer(asked, book.prices.first + NOW_S if now is None else now)


@pytest.fixture
def symbol(book: MarketBook) -> str:
    """A symbol."""
    return str(ask(book, "ticker/price").content[0]["symbol"])


def test_every_reply_and_error_is_what_the_vendor_describes(book: MarketBook, symbol: str, real_data: Path) -> None:
    """All endpoints against the vendor's own description; the one deviation is its own (see docs/providers)."""
    vendor = VendorDescription.load(real_data / "openapi" / "binance-spot-api.yaml")
    questions: list[tuple[str, dict[str, Any]]] = [
        ("ping", {}), ("time", {}), ("exchangeInfo", {}), ("exchangeInfo", {"symbol": symbol}),
        ("klines", {"symbol": symbol, "interval": "1h"}), ("klines", {"symbol": symbol, "interval": "1M", "limit": 3}),
        ("uiKlines", {"symbol": symbol, "interval": "5m", "startTime": book.prices.first * 1000}),
        ("ticker/24hr", {}), ("ticker/24hr", {"symbol": symbol}), ("ticker/price", {}),
        ("ticker/price", {"symbols": f'["{symbol}"]'}), ("ticker/bookTicker", {}), ("avgPrice", {"symbol": symbol}),
        ("depth", {"symbol": symbol, "limit": 5}), ("klines", {"symbol": "NOSUCH", "interval": "1h"}),
        ("depth", {"symbol": "NOSUCH"}), ("trades", {"symbol": symbol}), ("ticker/price", {"symbol": "NOSUCH"}),
        ("aggTrades", {"symbol": symbol, "limit": 3}),
    ]  # fmt: skip
    for path, asked in questions:
        answer, url = ask(book, path, **asked), f"{SPOT}/api/v3/{path}?{urlencode(asked)}"
        assert vendor.request_faults("GET", url) == []
        faults = vendor.reply_faults("GET", url, answer.status, answer.content)
        # The description knows filters of prices alone; the vendor sends those of amounts too.
        faults = [fault for fault in faults if not (path == "exchangeInfo" and ".filters[1]" in fault)]
        # It calls the moment of summed trades a boolean.
        faults = [fault for fault in faults if not (path == "aggTrades" and "].T:" in fault)]
        assert faults == [], url


@pytest.mark.parametrize(
    ("path", "parameters", "code"),
    [("klines", {"interval": "1h"}, -1102), ("klines", {"symbol": "NOSUCH", "interval": "1h"}, -1121),
     ("klines", {"symbol": "SYMBOL", "interval": "1s"}, -1120), ("klines", {"symbol": "SYMBOL"}, -1102),
     ("klines", {"symbol": "SYMBOL", "interval": "1h", "startTime": "x"}, -1100), ("ping", {"a": "1"}, -1104),
     ("aggTrades", {"symbol": "SYMBOL", "fromId": "1"}, -1020), ("ticker/24hr", {"type": "SMALL"}, -1130),
     ("depth", {"symbol": "SYMBOL", "limit": "0"}, -1130), ("exchangeInfo", {"symbols": '["NOSUCH"]'}, -1121)],
)  # fmt: skip
def test_wrong_questions_have_the_vendors_numbers(
    book: MarketBook, symbol: str, path: str, parameters: dict[str, str], code: int
) -> None:
    """Status 400 with ``code`` and ``msg``."""
    parameters = {name: symbol if value == "SYMBOL" else value for name, value in parameters.items()}
    answer = ask(book, path, **parameters)
    assert (answer.status, answer.content["code"]) == (400, code)


def futures(book: MarketBook, path: str, now: int | None = None, **parameters: Any) -> Answer:
    """What the service answers well after the story's beginning."""
    asked = Asked("GET", path, {name: str(value) for name, value in parameters.items()})
    return BinanceFutures(book).answer(asked, book.prices.first + NOW_S if now is None else now)


def test_everything_agrees_with_the_market_book(book: MarketBook, symbol: str) -> None:
    """Mark and index prices, the newest candles, open interest and funding."""
    now, coin = book.prices.first + NOW_S, next(
        coin for coin in book.coins if coin.traded and symbol.startswith(coin.symbol.upper())
    )  # fmt: skip
    held = book.derivatives.positions(coin, book.prices.hour_of(now))
    premium = futures(book, "/fapi/v1/premiumIndex", symbol=symbol).content
    assert (premium["markPrice"], premium["indexPrice"]) == (e8(held.mark_e8), e8(held.index_e8))
    newest = {
        kind: futures(book, f"/fapi/v1/{kind}", interval="1h", **{name: symbol}).content[-1][4]
        for kind, name in (("klines", "symbol"), ("markPriceKlines", "symbol"), ("indexPriceKlines", "pair"))
    }
    spot = BinanceSpot(book).answer(Asked("GET", "/api/v3/ticker/price", {"symbol": symbol}), now).content["price"]
    assert newest == {"klines": e8(held.mark_e8), "markPriceKlines": e8(held.mark_e8), "indexPriceKlines": spot}
    paid = futures(book, "/fapi/v1/fundingRate", symbol=symbol, limit=2).content
    assert premium["lastFundingRate"] == paid[-1]["fundingRate"]
    assert paid[-1]["fundingTime"] == now // 28_800 * 28_800_000 and len(paid) == 2
    assert futures(book, "/fapi/v1/openInterest", symbol=symbol).content["openInterest"] == e8(held.open_interest_e8)


@pytest.mark.parametrize(
    ("path", "parameters", "code"),
    [("/fapi/v1/klines", {"symbol": "NOSUCH", "interval": "1h"}, -1121),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "limit": "1501"}, -1130),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "timeZone": "8"}, -1104),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "startTime": "9", "endTime": "8"}, -1023),
     ("/futures/data/openInterestHist", {"symbol": "SYMBOL"}, -1102),
     ("/futures/data/openInterestHist", {"symbol": "SYMBOL", "period": "1m"}, -1130)],
)  # fmt: skip
def test_wrong_questions_have_the_vendors_numbers_of_binance_futures(
    book: MarketBook, symbol: str, path: str, parameters: dict[str, str], code: int
) -> None:
    """Status 400 with ``code`` and ``msg``; unknown paths are 404, and too many requests 429."""
    parameters = {name: symbol if value == "SYMBOL" else value for name, value in parameters.items()}
    answer = futures(book, path, **parameters)
    assert (answer.status, answer.content["code"]) == (400, code)
    assert futures(book, "/fapi/v1/nothing").status == 404
    assert BinanceFutures(book).busy(Asked("GET", path, {})).status == 429


def test_single_trades_are_those_of_the_last_full_minute(book: MarketBook) -> None:
    """As many as its candle counts, or the last twenty, numbered as the ticker has them; all make up its volume."""
    names, now, whole = [row["symbol"] for row in ask(book, "ticker/price").content], book.prices.first + NOW_S, 0
    for name in names:
        until = now // 60 * 60_000
        minute = ask(book, "klines", symbol=name, interval="1m", startTime=until - 60_000, limit=1).content[0]
        rows, day = ask(book, "trades", symbol=name).content, ask(book, "ticker/24hr", symbol=name).content
        assert len(rows) == min(minute[8], 20)
        if not rows:
            continue
        assert (rows[-1]["id"], rows[-1]["price"]) == (day["lastId"], minute[4])
        assert [row["id"] for row in rows] == list(range(rows[0]["id"], day["lastId"] + 1))
        assert all(until - 60_000 <= row["time"] < until for row in rows) and rows == sorted(
            rows, key=lambda row: row["time"]
        )
        assert [row["q"] for row in ask(book, "aggTrades", symbol=name, limit=3).content] == [
            row["qty"] for row in rows[-3:]
        ]
        if len(rows) == minute[8]:
            whole += 1
            assert sum(Decimal(row["qty"]) for row in rows) == Decimal(minute[5])
    assert whole > 3


def hours(book: MarketBook) -> list[Candle]:
    """Some hours of every coin that the venue trades."""
    return [
        book.prices.candle(coin, hour)
        for coin in book.coins
        if coin.traded
        for hour in range(book.prices.hour_of(coin.listed_at), book.prices.hours, 211)
    ]


def test_the_minutes_of_an_hour_add_up_to_it(book: MarketBook) -> None:
    """Open, high, low, close, volumes and trades of sixty minutes are exactly the hour's, and none is negative."""
    for hour in hours(book):
        minutes = minutes_of(hour, "test")
        assert len(minutes) == MINUTES and sum_of(minutes) == hour
        for part in minutes:
            assert part.low_e8 <= min(part.open_e8, part.close_e8) <= max(part.open_e8, part.close_e8) <= part.high_e8
            assert 0 <= part.taker_volume_e8 <= part.volume_e8 and 0 <= part.taker_quote_e8 <= part.quote_e8
            assert (part.trades > 0) == (part.volume_e8 > 0)


@given(st.integers(-300_000, 300_000))
def test_minutes_that_are_over_do_not_tell_where_the_price_goes(move_ppm: int) -> None:
    """The first 59 minutes trade around the hour's first price, whatever the last one brings."""
    opened = 20 * E8
    closed = opened + opened * move_ppm // 1_000_000
    high, low, middle = max(opened, closed) * 1002 // 1000, min(opened, closed) * 998 // 1000, (opened + closed) // 2
    hour = Candle(opened, high, low, closed, 9_000 * E8, 9_000 * middle, 700, 4_000 * E8, 4_000 * middle)
    for part in minutes_of(hour, "test")[:-1]:
        assert part.open_e8 == part.close_e8 == opened
        assert opened * 9979 // 10_000 <= part.low_e8 <= part.high_e8 <= opened * 10_021 // 10_000
        assert abs(part.quote_e8 - part.volume_e8 * opened // E8) <= 1
