"""The one exchange."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.coingecko_chart import Charts
from caia_replay.origin.services.coingecko_money import Money
from caia_replay.origin.services.coingecko_row import Rows
from caia_replay.origin.services.coingecko_venue import Venue


@pytest.fixture(scope="module")
def venue(book: MarketBook) -> Venue:
    money = Money(book)
    return Venue(money, Rows(money, Charts(money)))


def test_only_traded_coins_have_tickers(venue: Venue, book: MarketBook) -> None:
    """One ticker each, whose last price is the book's; a coin with a pool alone has none."""
    now = book.prices.end - 1
    for coin in book.listed(now):
        tickers = venue.tickers(coin, now)
        assert len(tickers) == coin.traded
        price = book.prices.price_e8(coin, now)
        assert all(price is not None and ticker["last"] == price / 10**8 for ticker in tickers)
    page = venue.page(now)
    assert page["coins"] == len(page["tickers"]) == len(venue.all_tickers(now)) == len(venue.coins(now))


def test_futures_are_the_books(venue: Venue, book: MarketBook) -> None:
    """Index, funding in per cent and open interest in dollars; none for a coin that is not traded."""
    now = book.prices.end - 1
    by_symbol = {row["index_id"].lower(): row for row in venue.futures(now)}
    assert set(by_symbol) == {coin.symbol for coin in venue.coins(now)}
    for coin in venue.coins(now)[:5]:
        row, hour = by_symbol[coin.symbol], book.prices.hour_of(now)
        positions = book.derivatives.positions(coin, hour)
        assert row["index"] == positions.index_e8 / 10**8 and float(row["price"]) == positions.mark_e8 / 10**8
        assert row["funding_rate"] == book.derivatives.funding_e8(coin, now // 28_800 * 28_800) / 10**6
