"""Tests for caia_replay.origin.services.binance_market."""

from __future__ import annotations

from decimal import Decimal

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import E8
from caia_replay.origin.services.binance_chart import Chart
from caia_replay.origin.services.binance_market import Market
from caia_replay.origin.services.binance_minute import minutes_of
from caia_replay.origin.services.binance_question import Refused


@pytest.fixture
def market(book: MarketBook) -> Market:
    """The spot market."""
    chart = Chart(book.prices, book.prices.candle, lambda coin, hour, candle: minutes_of(candle, f"{coin.role}/{hour}"))
    return Market(book, "test", chart)


def moments(book: MarketBook) -> list[int]:
    """Odd seconds all over the story, its first and its last one."""
    return [*range(book.prices.first, book.prices.end, 977_771), book.prices.first + 60, book.prices.end - 1]


def test_the_last_price_is_the_market_books(book: MarketBook, market: Market) -> None:
    """At every moment, so that every API tells one price."""
    for now in moments(book):
        for symbol, coin in market.listed(now).items():
            assert market.last_e8(coin, now) == book.prices.price_e8(coin, now), (symbol, now)


def test_a_ticker_is_the_last_day(book: MarketBook, market: Market) -> None:
    """Its change is the book's, its sums agree with each other, and bids lie below asks."""
    for now in moments(book):
        for symbol, coin in list(market.listed(now).items())[:5]:
            told = market.ticker(symbol, coin, now)
            before = now // 60 * 60 - 86_400
            if before >= coin.listed_at:
                change = market.last_e8(coin, now) - (book.prices.price_e8(coin, before) or 0)
                assert Decimal(told["priceChange"]) * E8 == change
            assert Decimal(told["lowPrice"]) <= Decimal(told["lastPrice"]) <= Decimal(told["highPrice"])
            assert told["count"] == (told["lastId"] - told["firstId"] + 1 if told["count"] else 0)
            best = market.best(symbol, coin, now)
            assert Decimal(best["bidPrice"]) < Decimal(told["lastPrice"]) < Decimal(best["askPrice"])


def test_the_order_book_is_sorted_and_a_shorter_one_is_its_beginning(book: MarketBook, market: Market) -> None:
    """Best offers first; the same at every depth; another number every minute."""
    coin, now = next(iter(market.listed(book.prices.end - 1).values())), book.prices.end - 1
    bids, asks = market.offers(coin, now)
    prices = [Decimal(price) for price, _ in asks]
    assert prices == sorted(prices) and [Decimal(price) for price, _ in bids] == sorted(
        (Decimal(price) for price, _ in bids), reverse=True
    )
    assert market.offers(coin, now, 3) == (bids[:3], asks[:3])
    assert market.updates(now) > market.updates(now - 60)


def test_a_coin_is_unknown_before_it_is_listed(book: MarketBook, market: Market) -> None:
    """Symbols come with their coins; the dollar is what everything is quoted in, and no symbol of its own."""
    late = max(market.listed(book.prices.end - 1).items(), key=lambda item: item[1].listed_at)
    assert market.coin(late[0], late[1].listed_at) is late[1]
    for symbol, now in ((late[0], late[1].listed_at - 1), (market.quote, book.prices.end - 1)):
        with pytest.raises(Refused):
            market.coin(symbol, now)
    assert all(symbol.endswith(market.quote) for symbol in market.listed(book.prices.end - 1))
    assert list(market.some([late[0]], book.prices.end - 1)) == [late[0]]
