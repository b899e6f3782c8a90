"""Tests for caia_replay.origin.services.binance_futures."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.binance_chart import e8
from caia_replay.origin.services.binance_futures import BinanceFutures
from caia_replay.origin.services.binance_spot import BinanceSpot
from caia_replay.origin.services.service import Answer, Asked

NOW_S = 97 * 86_400 + 19_817


def ask(book: MarketBook, path: str, now: int | None = None, **parameters: Any) -> Answer:
    """What the service answers well after the story's beginning."""
    asked = Asked("GET", path, {name: str(value) for name, value in parameters.items()})
    return BinanceFutures(book).answer(asked, book.prices.first + NOW_S if now is None else now)


@pytest.fixture
def symbol(book: MarketBook) -> str:
    """A symbol."""
    return str(ask(book, "/fapi/v1/ticker/price").content[0]["symbol"])


def test_replies_have_the_vendors_keys(book: MarketBook, symbol: str) -> None:
    """As the vendor's documentation lists them; no machine-readable description covers futures."""
    keys = {
        "/fapi/v1/premiumIndex": {"symbol", "markPrice", "indexPrice", "estimatedSettlePrice", "lastFundingRate",
                                  "nextFundingTime", "interestRate", "time"},
        "/fapi/v1/fundingRate": {"symbol", "fundingRate", "fundingTime", "markPrice"},
        "/fapi/v1/openInterest": {"openInterest", "symbol", "time"},
        "/fapi/v1/ticker/price": {"symbol", "price", "time"},
        "/fapi/v1/ticker/24hr": {"symbol", "priceChange", "priceChangePercent", "weightedAvgPrice", "lastPrice",
                                 "lastQty", "openPrice", "highPrice", "lowPrice", "volume", "quoteVolume", "openTime",
                                 "closeTime", "firstId", "lastId", "count"},
        "/futures/data/openInterestHist": {"symbol", "sumOpenInterest", "sumOpenInterestValue", "timestamp"},
        "/futures/data/globalLongShortAccountRatio": {"symbol", "longShortRatio", "longAccount", "shortAccount",
                                                      "timestamp"},
        "/futures/data/takerlongshortRatio": {"buySellRatio", "buyVol", "sellVol", "timestamp"},
    }  # fmt: skip
    for path, wanted in keys.items():
        more = {"period": "4h"} if "data" in path else {}
        told = ask(book, path, symbol=symbol, **more).content
        assert set(told[0] if isinstance(told, list) else told) == wanted, path
    assert {"symbols", "serverTime", "rateLimits"} <= set(ask(book, "/fapi/v1/exchangeInfo").content)
    for path in ("ping", "time"):
        assert ask(book, f"/fapi/v1/{path}").status == 200


def test_everything_agrees_with_the_market_book(book: MarketBook, symbol: str) -> None:
    """Mark and index prices, the newest candles, open interest and funding."""
    now, coin = book.prices.first + NOW_S, next(
        coin for coin in book.coins if coin.traded and symbol.startswith(coin.symbol.upper())
    )  # fmt: skip
    held = book.derivatives.positions(coin, book.prices.hour_of(now))
    premium = ask(book, "/fapi/v1/premiumIndex", symbol=symbol).content
    assert (premium["markPrice"], premium["indexPrice"]) == (e8(held.mark_e8), e8(held.index_e8))
    newest = {
        kind: ask(book, f"/fapi/v1/{kind}", interval="1h", **{name: symbol}).content[-1][4]
        for kind, name in (("klines", "symbol"), ("markPriceKlines", "symbol"), ("indexPriceKlines", "pair"))
    }
    spot = BinanceSpot(book).answer(Asked("GET", "/api/v3/ticker/price", {"symbol": symbol}), now).content["price"]
    assert newest == {"klines": e8(held.mark_e8), "markPriceKlines": e8(held.mark_e8), "indexPriceKlines": spot}
    paid = ask(book, "/fapi/v1/fundingRate", symbol=symbol, limit=2).content
    assert premium["lastFundingRate"] == paid[-1]["fundingRate"]
    assert paid[-1]["fundingTime"] == now // 28_800 * 28_800_000 and len(paid) == 2
    assert ask(book, "/fapi/v1/openInterest", symbol=symbol).content["openInterest"] == e8(held.open_interest_e8)


def test_funding_is_kept_from_its_start_or_to_its_end(book: MarketBook, symbol: str) -> None:
    """With a start the first payments, without one the last; without a symbol everybody's, in order of time."""
    first = book.prices.first * 1000
    early = ask(book, "/fapi/v1/fundingRate", symbol=symbol, startTime=first + 1, limit=2).content
    assert [row["fundingTime"] for row in early] == [first + 28_800_000, first + 57_600_000]
    everybody = ask(book, "/fapi/v1/fundingRate", limit=1000).content
    assert len(everybody) == 1000 and everybody == sorted(everybody, key=lambda row: row["fundingTime"])


def test_statistics_go_back_thirty_days(book: MarketBook, symbol: str) -> None:
    """A window that begins earlier is an error; one without a start begins there."""
    path, now = "/futures/data/openInterestHist", (book.prices.first + NOW_S) * 1000
    month = 30 * 86_400_000
    assert len(ask(book, path, symbol=symbol, period="1d", limit=500).content) == 30
    assert ask(book, path, symbol=symbol, period="1h", startTime=now - month).status == 200
    late = ask(book, path, symbol=symbol, period="1h", startTime=now - month - 1)
    assert (late.status, late.content["code"]) == (400, -1130)


@pytest.mark.parametrize(
    ("path", "parameters", "code"),
    [("/fapi/v1/klines", {"symbol": "NOSUCH", "interval": "1h"}, -1121),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "limit": "1501"}, -1130),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "timeZone": "8"}, -1104),
     ("/fapi/v1/klines", {"symbol": "SYMBOL", "interval": "1h", "startTime": "9", "endTime": "8"}, -1023),
     ("/futures/data/openInterestHist", {"symbol": "SYMBOL"}, -1102),
     ("/futures/data/openInterestHist", {"symbol": "SYMBOL", "period": "1m"}, -1130)],
)  # fmt: skip
def test_wrong_questions_have_the_vendors_numbers(
    book: MarketBook, symbol: str, path: str, parameters: dict[str, str], code: int
) -> None:
    """Status 400 with ``code`` and ``msg``; unknown paths are 404, and too many requests 429."""
    parameters = {name: symbol if value == "SYMBOL" else value for name, value in parameters.items()}
    answer = ask(book, path, **parameters)
    assert (answer.status, answer.content["code"]) == (400, code)
    assert ask(book, "/fapi/v1/nothing").status == 404
    assert BinanceFutures(book).busy(Asked("GET", path, {})).status == 429
