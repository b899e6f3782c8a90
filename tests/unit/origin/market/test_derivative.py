"""Perpetual futures: near the spot price, within their bounds, for traded coins alone."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.derivative import FUNDING_S


def test_positions_follow_the_spot_price(book: MarketBook) -> None:
    """Marks lie within five hundredths of a per cent of the index, which is the spot price; shares are shares."""
    for coin in (found for found in book.coins if found.traded):
        first = book.prices.hour_of(coin.listed_at)
        for hour in range(first, book.prices.hours, 97):
            made = book.derivatives.positions(coin, hour)
            assert made == book.derivatives.positions(coin, hour)
            assert abs(made.mark_e8 - made.index_e8) * 2_000 <= made.index_e8 + 2_000
            assert made.open_interest_e8 > 0
            assert all(0 < share < 1_000_000 for share in (made.long_ppm, made.top_long_ppm, made.top_size_long_ppm))


def test_funding_is_paid_every_eight_hours_and_within_bounds(book: MarketBook) -> None:
    """Rates differ, go both ways over the story, and no other moment has one."""
    coin = next(found for found in book.coins if found.role == "native")
    moments = range(book.prices.first + FUNDING_S, book.prices.end, FUNDING_S)
    rates = [book.derivatives.funding_e8(coin, moment) for moment in moments]
    assert min(rates) < 0 < max(rates) and max(map(abs, rates)) <= 300_000 and len(set(rates)) > 100
    with pytest.raises(ValueError, match="no funding"):
        book.derivatives.funding_e8(coin, moments[0] + 1)


def test_what_the_venue_does_not_trade_has_no_future(book: MarketBook) -> None:
    """The dollar and pool tokens have none."""
    for coin in (found for found in book.coins if not found.traded):
        with pytest.raises(ValueError, match="no perpetual future"):
            book.derivatives.positions(coin, book.prices.hours - 1)
