"""Series: granularity, bounds, what is told when, and candles."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.coingecko_chart import Charts, days_of, moment_of, past_day_of
from caia_replay.origin.services.coingecko_money import Money, number

DAY, HOUR = 86_400, 3_600


@pytest.fixture(scope="module")
def charts(book: MarketBook) -> Charts:
    return Charts(Money(book))


def native(book: MarketBook) -> Any:
    return next(coin for coin in book.coins if coin.role == "native")


def seconds(chart: dict[str, Any]) -> list[int]:
    assert {len(points) for points in chart.values()} == {len(chart["prices"])}
    return [point[0] // 1_000 for point in chart["prices"]]


@pytest.mark.parametrize(
    ("first", "last", "step"),
    [(-DAY, 0, 300), (-DAY - 1, -1, HOUR), (-9 * DAY, -8 * DAY, HOUR), (-90 * DAY, 0, HOUR), (-90 * DAY - 1, 0, DAY)],
)
def test_the_window_decides_the_granularity(charts: Charts, book: MarketBook, first: int, last: int, step: int) -> None:
    """Five minutes within the last day, hours to 90 days, days beyond; every point of the grid and no other."""
    now = book.prices.first + 110 * DAY + 5_003
    at = seconds(charts.window(native(book), "usd", now + first, now + last, None, number, now))
    assert {later - earlier for earlier, later in pairwise(at)} == {step}
    assert now + first <= at[0] < now + first + step and now + last - step < at[-1] <= now + last


def test_a_days_point_is_told_35_minutes_late(charts: Charts, book: MarketBook) -> None:
    """At 00:34:59 the newest daily point is yesterday's."""
    midnight = book.prices.first + 100 * DAY
    for now, newest in ((midnight + 2_099, midnight - DAY), (midnight + 2_100, midnight)):
        assert seconds(charts.window(native(book), "usd", now - 95 * DAY, now, None, number, now))[-1] == newest
        assert (charts.past_day(native(book), midnight, now) is None) == (newest < midnight)


def test_points_are_the_books_and_end_at_now(charts: Charts, book: MarketBook) -> None:
    """Prices, caps and volumes of a chart by days agree with the book at each moment; the newest is of now."""
    now, coin = book.prices.first + 50 * DAY + 1_234, native(book)
    chart = charts.days(coin, "usd", 2, None, number, now)
    at = seconds(chart)
    assert at[-1] == now and at[-2] == now // HOUR * HOUR
    for index in (0, 17, -1):
        price = book.prices.price_e8(coin, at[index])
        assert price is not None and chart["prices"][index][1] == price / 10**8
        assert chart["market_caps"][index][1] == book.cap_usd(coin, at[index])
        assert chart["total_volumes"][index][1] == book.day(coin, at[index]).quote_e8 / 10**8


def test_an_interval_overrules_the_window(charts: Charts, book: MarketBook) -> None:
    """Daily and hourly, whatever the length."""
    now = book.prices.first + 110 * DAY + 5_003
    for interval, step in (("daily", DAY), ("hourly", HOUR)):
        at = seconds(charts.window(native(book), "usd", now - 20 * DAY, now - 10 * DAY, interval, number, now))
        assert {later - earlier for earlier, later in pairwise(at)} == {step}


def test_candles_are_closed_hours_of_the_venue(charts: Charts, book: MarketBook) -> None:
    """Four-hour candles equal the book's hours together; none closes after now."""
    now, coin = book.prices.first + 50 * DAY + 7_300, native(book)
    candles = charts.ohlc(coin, "usd", 7, number, now)
    assert candles[-1][0] <= now * 1_000 < candles[-1][0] + 4 * HOUR * 1_000
    closed = int(candles[-3][0]) // 1_000
    hours = [book.prices.candle(coin, book.prices.hour_of(closed) - back) for back in (4, 3, 2, 1)]
    whole = [hours[0].open_e8, max(h.high_e8 for h in hours), min(h.low_e8 for h in hours), hours[-1].close_e8]
    assert candles[-3][1:] == [price / 10**8 for price in whole]
    fine = charts.ohlc(coin, "usd", 1, number, now)
    assert {later[0] - earlier[0] for earlier, later in pairwise(fine)} == {1_800_000}
    assert charts.ohlc(coin, "usd", 90, number, now)[0][0] % (4 * DAY * 1_000) == 0


def test_what_people_write_for_moments() -> None:
    """Seconds, ISO days, days of the month, numbers of days; anything else is a ValueError."""
    assert moment_of("1700000000") == 1_700_000_000 and moment_of("2024-01-01") == 1_704_067_200
    assert past_day_of("01-01-2024") == past_day_of("2024-01-01") == 1_704_067_200
    assert days_of("max") is None and days_of("30") == 30
    for ask, wrong in (
        (moment_of, "soon"),
        (past_day_of, "31-02-2024"),
        (past_day_of, "x"),
        (days_of, "0"),
        (days_of, "-1"),
    ):
        with pytest.raises(ValueError, match=r".+"):
            ask(wrong)
