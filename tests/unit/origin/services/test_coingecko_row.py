"""Rows of the market list and plain prices."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.coingecko_chart import Charts
from caia_replay.origin.services.coingecko_money import Money, number
from caia_replay.origin.services.coingecko_row import Rows, iso

DAY = 86_400


@pytest.fixture(scope="module")
def rows(book: MarketBook) -> Rows:
    money = Money(book)
    return Rows(money, Charts(money))


def test_orders_are_total(rows: Rows, book: MarketBook) -> None:
    """By cap, volume and id, both ways, equal ones by id; another order is a ValueError."""
    now = book.prices.end - 1
    coins = book.listed(now)
    assert rows.ordered(coins, "market_cap_desc", now) == list(book.ranking(now))
    assert rows.ordered(coins, "id_desc", now) == rows.ordered(coins, "id_asc", now)[::-1]
    caps = [book.cap_usd(coin, now) for coin in rows.ordered(coins, "market_cap_asc", now)]
    assert caps == sorted(caps)
    for wrong in ("market_cap", "price_desc", "id_up"):
        with pytest.raises(ValueError, match="no order"):
            rows.ordered(coins, wrong, now)


def test_a_young_coin_has_no_changes(rows: Rows, book: MarketBook) -> None:
    """Null in a row, nothing by currency, and the vendor's zero where its page has one plain number."""
    coin = max(book.coins, key=lambda coin: coin.listed_at)
    now = coin.listed_at + 3_600
    row = rows.market(coin, 1, "usd", ("7d",), False, number, now)
    assert row["price_change_24h"] is None and row["price_change_percentage_7d_in_currency"] is None
    data = rows.market_data(coin, True, now)
    assert data["price_change_percentage_7d"] == 0 and data["price_change_percentage_7d_in_currency"] == {}
    assert len(data["sparkline_7d"]) <= 1


def test_only_what_is_asked_for_is_in_a_price(rows: Rows, book: MarketBook) -> None:
    """One key for each currency, and one for each flag and currency."""
    coin, now = book.coins[1], book.prices.end - 1
    assert set(rows.simple(coin, ("usd",), (), number, now)) == {"usd"}
    assert set(rows.simple(coin, ("usd", "eur"), ("24hr_vol", "last_updated_at"), number, now)) == {
        "usd", "eur", "usd_24h_vol", "eur_24h_vol", "last_updated_at",
    }  # fmt: skip


def test_highs_and_lows_of_the_day_hold_the_price(rows: Rows, book: MarketBook) -> None:
    """For every coin, in dollars and in another currency."""
    now = book.prices.first + 93 * DAY + 77
    for rank, coin in enumerate(book.ranking(now), start=1):
        for currency in ("usd", "krw"):
            row = rows.market(coin, rank, currency, (), False, number, now)
            assert row["low_24h"] <= row["current_price"] <= row["high_24h"] <= row["ath"] * 1.05
    assert iso(0) == "1970-01-01T00:00:00.000Z"
