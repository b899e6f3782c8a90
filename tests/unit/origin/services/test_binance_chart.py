"""Tests for caia_replay.origin.services.binance_chart."""

from __future__ import annotations

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import sum_of
from caia_replay.origin.services.binance_chart import Chart, e8, rounded, row_of
from caia_replay.origin.services.binance_minute import minutes_of
from caia_replay.providers.binance_interval import STEPS_MS, interval_of
from caia_replay.providers.binance_series import Window


def chart_of(book: MarketBook) -> Chart:
    """The spot candles."""
    return Chart(book.prices, book.prices.candle, lambda coin, hour, candle: minutes_of(candle, f"{coin.role}/{hour}"))


def rows(book: MarketBook, name: str, window: Window, now: int, zone: str = "0") -> list[list[object]]:
    """Candles of a coin that was there from the first day."""
    grid = interval_of(name, zone)
    assert grid is not None
    return chart_of(book).klines(next(coin for coin in book.coins if coin.traded), grid, window, now)


def test_a_day_is_the_sum_of_its_hours_and_an_hour_of_its_minutes(book: MarketBook) -> None:
    """Every interval is made of the market book's hours, exactly."""
    coin, day = next(coin for coin in book.coins if coin.traded), book.prices.first * 1000 + 9 * 86_400_000
    hours = [book.prices.candle(coin, 9 * 24 + hour) for hour in range(24)]
    end = book.prices.end
    assert rows(book, "1d", Window(day, None, 1), end) == [row_of(sum_of(hours), day, day + 86_399_999)]
    for name in ("1m", "3m", "5m", "15m", "30m"):
        parts = rows(book, name, Window(day, day + 3_599_999, 60), end)
        assert len(parts) * STEPS_MS[name] == 3_600_000
        assert sum(int(str(part[5]).replace(".", "")) for part in parts) == hours[0].volume_e8
        assert (parts[0][1], parts[-1][4]) == (e8(hours[0].open_e8), e8(hours[0].close_e8))


def test_the_open_candle_is_made_of_the_minutes_that_are_over(book: MarketBook) -> None:
    """Half past the hour it holds thirty minutes; in its first minute there is none yet."""
    hour = book.prices.first + 50 * 3600
    minutes = rows(book, "1m", Window(None, None, 30), hour + 1_859)
    half = rows(book, "1h", Window(None, None, 1), hour + 1_859)[0]
    assert half[0] == hour * 1000 == minutes[0][0] and half[8] == sum(int(str(part[8])) for part in minutes)
    assert half[4] == minutes[-1][4] == half[1]
    assert rows(book, "1h", Window(None, None, 1), hour + 59)[0][0] == (hour - 3600) * 1000


def test_with_a_start_the_first_rows_are_kept_and_without_one_the_last(book: MarketBook) -> None:
    """The vendor's rule for a window of more rows than its limit."""
    first = book.prices.first * 1000
    end = first + 99 * 3_600_000
    assert [row[0] for row in rows(book, "1h", Window(first, end, 2), book.prices.end)] == [first, first + 3_600_000]
    assert [row[0] for row in rows(book, "1h", Window(None, end, 2), book.prices.end)] == [end - 3_600_000, end]


def test_a_zone_moves_the_days(book: MarketBook) -> None:
    """Days of UTC+8 begin at four in the afternoon of UTC; the first one is the part of it that the story has."""
    first = book.prices.first * 1000
    found = rows(book, "1d", Window(0, None, 2), book.prices.end, "8")
    assert [row[0] for row in found] == [first - 8 * 3_600_000, first + 16 * 3_600_000]


def test_trades_are_numbered_from_the_first_one(book: MarketBook) -> None:
    """What was traded before a moment is what all hours and minutes before it hold."""
    coin, chart = next(coin for coin in book.coins if coin.traded), chart_of(book)
    moment = book.prices.first + 3 * 3600 + 600
    part = chart.between(coin, book.prices.first, moment)
    assert part is not None and chart.trades_before(coin, moment) == part.trades
    assert chart.trades_before(coin, book.prices.first) == 0


def test_numbers_are_written_with_fixed_digits() -> None:
    """Eight digits for amounts, as many as wanted for fractions, rounded half away from zero."""
    assert (e8(-5), e8(12_300_000_000)) == ("-0.00000005", "123.00000000")
    assert (rounded(-1, 2, 1), rounded(1, 3, 3), rounded(-1, 9_999, 3)) == ("-0.5", "0.333", "0.000")
