"""Windows of whole days, and sums and shares that are exact."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import (
    MOST_POINTS,
    Window,
    day_of,
    day_text,
    last_days,
    number,
    pairs,
    share_percent,
    told_window,
    total,
    whole_days,
    window_argument,
)
from tests.told import told

NOON = 1_717_156_800
"""2024-05-31T12:00:00Z"""
TODAY = NOON - 43_200
CENTS = st.integers(-(10**12), 10**12).map(lambda cents: cents / 100)


def _window(start: str | int | None, end: str | int | None) -> Window | None:
    return window_argument(told(now=NOON), start, end)


def _told(figures: dict[int, Any], first: int, last: int) -> dict[str, Any]:
    return told_window(["usd"], {day: {"usd": usd} for day, usd in figures.items()}, ["usd"], Window(first, last), NOON)


def test_a_window_is_the_days_that_are_named() -> None:
    """Both ends are in it, whatever time of the day was said."""
    assert _window("2024-05-01", "2024-05-03T23:00Z") == Window(TODAY - 30 * DAY_S, TODAY - 28 * DAY_S)
    assert _window(None, None) is None


def test_a_window_with_one_end() -> None:
    """Without an end it goes to the last day that is over, or is today; without a start it is its end alone."""
    assert _window("2024-05-01", None) == Window(TODAY - 30 * DAY_S, TODAY - DAY_S)
    assert _window("2024-05-31", None) == Window(TODAY, TODAY)
    assert _window(None, "2024-05-01") == Window(TODAY - 30 * DAY_S, TODAY - 30 * DAY_S)


def test_a_window_that_is_none() -> None:
    """It cannot run backwards, nor reach past now."""
    with pytest.raises(ToolError, match="start 2024-05-03 is after end 2024-05-01"):
        _window("2024-05-03", "2024-05-01")
    with pytest.raises(ToolError, match="has not come yet"):
        _window("2024-05-03", "2024-06-01")


def test_the_last_days_are_over() -> None:
    """Today is not in them, whatever the hour."""
    assert last_days(NOON, 7) == Window(TODAY - 7 * DAY_S, TODAY - DAY_S)
    assert last_days(TODAY, 1) == Window(TODAY - DAY_S, TODAY - DAY_S)
    assert day_of(NOON) == TODAY and day_text(TODAY) == "2024-05-31"


def test_points_by_day() -> None:
    """Digits are dates too, null stays null, and the order is that of time."""
    assert list(pairs([[str(TODAY), 2], [TODAY - DAY_S, None]]).items()) == [(TODAY - DAY_S, None), (TODAY, 2)]


@pytest.mark.parametrize("rows", [[[1, "x"]], [[1, True]], [[None, 1]], [[1.5, 1]], [1], [[1, 2, 3]], [[-1, 1]]])
def test_points_of_another_shape(rows: list[Any]) -> None:
    """What is no pair of a date and a figure is refused."""
    with pytest.raises((TypeError, ValueError)):
        pairs(rows)


def test_two_points_of_one_day() -> None:
    """Which of them tells the day, nobody could say."""
    with pytest.raises(ValueError, match="two points of one day"):
        pairs([[TODAY, 1], [TODAY + 5, 2]])


@given(st.lists(CENTS, max_size=60))
def test_sums_are_those_of_the_decimals(values: list[float]) -> None:
    """A sum is that of the numbers as they are written, whatever their order, rounded once."""
    meant = sum((Decimal(str(value)) for value in values), Decimal(0))
    assert total(values) == total(reversed(values)) == Fraction(meant)
    assert number(total(values)) == (int(meant) if meant == meant.to_integral_value() else float(meant))


def test_sums_of_doubles_would_not_be() -> None:
    """0.1 is a tenth; whole numbers stay exact beyond doubles."""
    assert number(total([0.1, 0.2])) == 0.3 != 0.1 + 0.2
    assert number(total([2**53, 1])) == 2**53 + 1


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_shares_have_six_digits(part: int, whole: int) -> None:
    """A share is off by half of the last digit at most; of nothing there is none."""
    share = share_percent(Fraction(part), Fraction(whole))
    assert share is not None and abs(Fraction(str(share)) - Fraction(100 * part, whole)) <= Fraction(1, 2 * 10**6)
    assert share_percent(Fraction(part), Fraction(0)) is None


def test_sums_leave_out_what_is_not_over_or_not_known() -> None:
    """Such days are named, and a day that the index leaves out is never nought."""
    found = _told({TODAY - 3 * DAY_S: 1.5, TODAY - 2 * DAY_S: None, TODAY: 40}, TODAY - 3 * DAY_S, TODAY)
    assert found["sums"] == {"usd": 1.5} and found["days_summed"] == {"usd": 1} and found["days"] == 4
    assert found["days_not_over"] == ["2024-05-31"]
    assert found["days_without_figure"] == 2 and found["without_figure"] == ["2024-05-29", "2024-05-30"]
    assert found["points"] == [
        {"day": "2024-05-28", "usd": 1.5, "is_over": True},
        {"day": "2024-05-31", "usd": 40, "is_over": False},
    ]


def test_a_sum_of_nothing_is_null() -> None:
    """Where no day is over, there is no sum."""
    found = _told({TODAY: 40}, TODAY, TODAY)
    assert found["sums"] == {"usd": None} and found["days_summed"] == {"usd": 0}


def test_days_of_nought_are_figures() -> None:
    """Nought that was told is a figure."""
    found = _told({TODAY - DAY_S: 0}, TODAY - DAY_S, TODAY - DAY_S)
    assert found["sums"] == {"usd": 0} and found["days_without_figure"] == 0


def test_a_window_without_figures() -> None:
    """It is refused, with the days that have some."""
    with pytest.raises(ToolError, match="figures from 2024-05-01 to 2024-05-02"):
        _told({TODAY - 30 * DAY_S: 1, TODAY - 29 * DAY_S: 1}, TODAY - DAY_S, TODAY)
    with pytest.raises(ToolError, match=r"no figure of 2024-05-31 to 2024-05-31$"):
        _told({}, TODAY, TODAY)


def test_long_windows_go_on() -> None:
    """The sum is of all days; the points come in parts, and the next one's start is told."""
    days = {TODAY - at * DAY_S: at for at in range(1, MOST_POINTS + 31)}
    found = _told(days, min(days), max(days))
    assert found["sums"]["usd"] == sum(days.values()) and found["points_in_all"] == len(days)
    assert len(found["points"]) == MOST_POINTS and found["next_start"] == "2024-05-01"


def test_whole_days() -> None:
    """Days that are over and have a figure."""
    figures = {TODAY - 2 * DAY_S: 1, TODAY - DAY_S: None, TODAY: 3}
    assert whole_days(figures, Window(TODAY - 2 * DAY_S, TODAY), NOON) == [TODAY - 2 * DAY_S]
