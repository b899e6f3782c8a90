"""Tests for caia_replay.origin.services.binance_spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.binance_spot import BinanceSpot
from caia_replay.origin.services.service import Answer, Asked
from caia_replay.providers.binance import SPOT
from tests.vendor_description import VendorDescription

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
    ]  # fmt: skip
    for path, asked in questions:
        answer, url = ask(book, path, **asked), f"{SPOT}/api/v3/{path}?{urlencode(asked)}"
        assert vendor.request_faults("GET", url) == []
        faults = vendor.reply_faults("GET", url, answer.status, answer.content)
        # The description knows filters of prices alone; the vendor sends those of amounts too.
        faults = [fault for fault in faults if not (path == "exchangeInfo" and ".filters[1]" in fault)]
        assert faults == [], url
        assert vendor.undescribed("GET", url, answer.status, answer.content) <= _MORE


_MORE = {"symbols[].quotePrecision", "weightedAvgPrice", "lastQty", "[].weightedAvgPrice", "[].lastQty",
         "symbols[].filters[].minQty", "symbols[].filters[].maxQty", "symbols[].filters[].stepSize"}  # fmt: skip
"""What the vendor sends and its description leaves out."""


@pytest.mark.parametrize(
    ("path", "parameters", "code"),
    [("klines", {"interval": "1h"}, -1102), ("klines", {"symbol": "NOSUCH", "interval": "1h"}, -1121),
     ("klines", {"symbol": "SYMBOL", "interval": "1s"}, -1120), ("klines", {"symbol": "SYMBOL"}, -1102),
     ("klines", {"symbol": "SYMBOL", "interval": "1h", "startTime": "x"}, -1100), ("ping", {"a": "1"}, -1104),
     ("aggTrades", {"symbol": "SYMBOL"}, -1020), ("ticker/24hr", {"type": "SMALL"}, -1130),
     ("depth", {"symbol": "SYMBOL", "limit": "0"}, -1130), ("exchangeInfo", {"symbols": '["NOSUCH"]'}, -1121)],
)  # fmt: skip
def test_wrong_questions_have_the_vendors_numbers(
    book: MarketBook, symbol: str, path: str, parameters: dict[str, str], code: int
) -> None:
    """Status 400 with ``code`` and ``msg``."""
    parameters = {name: symbol if value == "SYMBOL" else value for name, value in parameters.items()}
    answer = ask(book, path, **parameters)
    assert (answer.status, answer.content["code"]) == (400, code)


def test_prices_tickers_and_candles_agree(book: MarketBook, symbol: str) -> None:
    """The newest candle closes at the price; the day's ticker is the last 1,440 minutes."""
    price = ask(book, "ticker/price", symbol=symbol).content["price"]
    day = ask(book, "ticker/24hr", symbol=symbol).content
    minutes = ask(book, "klines", symbol=symbol, interval="1m", limit=1000).content
    earlier = ask(book, "klines", symbol=symbol, interval="1m", endTime=minutes[0][0] - 1, limit=440).content
    assert (
        price == day["lastPrice"] == minutes[-1][4] == ask(book, "klines", symbol=symbol, interval="1w").content[-1][4]
    )
    assert sum(row[8] for row in earlier + minutes) == day["count"] and earlier[0][0] == day["openTime"]
    assert ask(book, "ticker/24hr", symbol=symbol, type="MINI").content.items() < day.items()


def test_nothing_after_the_moment_is_told(book: MarketBook, symbol: str) -> None:
    """No candle begins in the future, whatever the window; a coin that comes later is in no list."""
    now = book.prices.first + 5 * 86_400 + 61
    rows = ask(book, "klines", now, symbol=symbol, interval="1h", startTime=0, endTime=1 << 50, limit=1000).content
    assert rows[-1][0] == (now - 61) * 1000 and len(rows) == 5 * 24 + 1
    late = max((coin for coin in book.coins if coin.traded), key=lambda coin: coin.listed_at)
    for at, there in ((late.listed_at - 1, False), (late.listed_at, True)):
        told = {entry["baseAsset"] for entry in ask(book, "exchangeInfo", at).content["symbols"]}
        assert (late.symbol.upper() in told) is there


def test_paths_and_methods_it_does_not_have(book: MarketBook) -> None:
    """404; too many requests are a 429 that says how long to wait."""
    service = BinanceSpot(book)
    assert service.answer(Asked("GET", "/api/v3/nothing", {}), 0).status == 404
    assert service.answer(Asked("POST", "/api/v3/ping", {}), 0).status == 404
    later = service.busy(Asked("GET", "/api/v3/ping", {}))
    assert (later.status, later.content["code"], later.headers["Retry-After"]) == (429, -1003, "1")
