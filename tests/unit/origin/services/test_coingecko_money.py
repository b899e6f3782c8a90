"""Worths in other currencies, and how they become numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.coingecko_money import Money, number, percent, rounder


@pytest.fixture(scope="module")
def money(book: MarketBook) -> Money:
    return Money(book)


def test_a_day_has_one_rate_and_the_native_coin_its_own_price(money: Money, book: MarketBook) -> None:
    """Rates change at midnight only; a native coin is worth one of itself; a dollar one dollar."""
    noon = book.prices.first + 40 * 86_400 + 43_200
    assert money.rate("eur", noon) == money.rate("eur", noon + 43_199) != money.rate("eur", noon + 43_200)
    assert money.price(money.native, money.native.symbol, noon) == 1 and money.rate("usd", noon) == 1
    with pytest.raises(KeyError):
        money.rate("zzz", noon)


def test_equal_seeds_have_equal_rates(money: Money, book: MarketBook) -> None:
    """Nothing but the seed decides."""
    assert [Money(book).rate(name, book.prices.first) for name in money.currencies] == [
        money.rate(name, book.prices.first) for name in money.currencies
    ]


def test_changes_in_dollars_are_the_books(money: Money, book: MarketBook) -> None:
    """The book's millionths, as per cent; None for a coin that is not listed that long."""
    now = book.prices.first + 40 * 86_400
    for coin in book.listed(now):
        ppm = book.change_ppm(coin, now, 24)
        assert money.change(coin, "usd", now, 24) == (None if ppm is None else ppm / 10_000)
    assert money.change(money.native, "usd", now, 24 * 41) is None


def test_records_are_the_highest_and_lowest_prices_so_far(money: Money, book: MarketBook) -> None:
    """Looked up at once, they equal a walk over every hour, and lie at the first hour that had them."""
    coin, now = money.native, book.prices.first + 30 * 86_400 + 5
    hours = range(book.prices.first, now, 3_600)
    prices = [book.prices.price_e8(coin, at) or 0 for at in hours]
    for high, best in ((True, max(prices)), (False, min(prices))):
        record = money.record(coin, "usd", now, high)
        assert (record.price, record.moment) == (Fraction(best, 10**8), hours[prices.index(best)])


def test_numbers_are_exact_until_the_last_step() -> None:
    """Whole ones stay whole; others are rounded once; per cent are cut down; places round halves up."""
    assert number(Fraction(6, 3)) == 2 and isinstance(number(Fraction(6, 3)), int)
    assert number(Fraction(1, 3)) == 1 / 3
    assert percent(Fraction(2), Fraction(3)) == -33.3334
    assert rounder("2")(Fraction(12345, 1000)) == 12.35 and rounder(None)(Fraction(1, 8)) == 0.125
    for wrong in ("19", "-1", "x", ""):
        with pytest.raises(ValueError, match="no precision"):
            rounder(wrong)
