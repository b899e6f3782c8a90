"""Tests for caia_replay.origin.services.binance_minute."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import E8, Candle, sum_of
from caia_replay.origin.services.binance_minute import MINUTES, minutes_of, still_minutes


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


def test_every_minute_was_paid_a_price_between_its_low_and_its_high(book: MarketBook) -> None:
    """Quote volume by volume lies in the minute's range, but for what whole hundred-millionths cannot say."""
    for hour in hours(book):
        for part in minutes_of(hour, "test"):
            paid, cut = part.quote_e8 * E8, MINUTES * E8
            assert part.low_e8 * part.volume_e8 - cut <= paid <= part.high_e8 * part.volume_e8 + cut


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


def test_an_hour_without_trades_moves_in_its_last_minute() -> None:
    """A computed price stays, and then goes to the next hour's; so does one that nobody traded."""
    still = Candle(5, 9, 5, 9, 0, 0, 0, 0, 0)
    for minutes in (still_minutes(still), minutes_of(still, "test")):
        assert sum_of(minutes) == still and {part.close_e8 for part in minutes[:-1]} == {5}
    assert sum_of(minutes_of(replace(still, volume_e8=10_000, quote_e8=1, trades=1), "test")).trades == 1
