"""Dates in questions."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.interop.caia_date import named_dates


def ends(text: str) -> list[str]:
    """The last second of every date, as text."""
    return [datetime.fromtimestamp(item.end, UTC).strftime("%Y-%m-%d %H:%M:%S") for item in named_dates(text, 2025)[0]]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("on 2024-03-05 UTC", "2024-03-05 23:59:59"),
        ("at 2024-03-05 00:00 UTC", "2024-03-05 00:00:00"),
        ("2024-03-05T06:07:08Z", "2024-03-05 06:07:08"),
        ("Mar-05-2024 06:07:08 PM +UTC", "2024-03-05 18:07:08"),
        ("March 5, 2024 at 12:07:08 AM", "2024-03-05 00:07:08"),
        ("as of March 5th 2024", "2024-03-05 23:59:59"),
        ("5 March 2024", "2024-03-05 23:59:59"),
        ("2024, March 5", "2024-03-05 23:59:59"),
        ("2024 Mar. 5th", "2024-03-05 23:59:59"),
        ("in February 2024", "2024-02-29 23:59:59"),
        ("2024 february", "2024-02-29 23:59:59"),
        ("during Q3 2024", "2024-09-30 23:59:59"),
        ("2024 Q1", "2024-03-31 23:59:59"),
        ("the first half of 2024", "2024-06-30 23:59:59"),
        ("In 2024, what", "2024-12-31 23:59:59"),
        ("by the end of 2024", "2024-12-31 23:59:59"),
        ("2024年3月5日的", "2024-03-05 23:59:59"),
        ("在2024 年 2 月", "2024-02-29 23:59:59"),
        ("2024-3-5 的", "2024-03-05 23:59:59"),
        ("on sept.14th", "2025-09-14 23:59:59"),
        ("as of 9.15?", "2025-09-15 23:59:59"),
    ],
)
def test_a_date_ends_with_its_last_second(text: str, end: str) -> None:
    """Every way of writing one is read, a clock is the moment itself."""
    assert ends(text) == [end]


@pytest.mark.parametrize(
    "text", ["Uniswap V3", "0.05 % pool", "block 19,560,000", "may it be 12%", "ERC-20", "10.25 %"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    """Versions, shares and counts are not read as days."""
    assert ends(text) == []


def test_a_day_without_a_year_takes_the_one_that_is_named() -> None:
    """The other date's year, and else the given one, which is told."""
    borrowed, _ = named_dates("from July 7th to July 9th, 2023", 2025)
    assert [datetime.fromtimestamp(item.end, UTC).year for item in borrowed] == [2023, 2023]
    assert all(item.has_year for item in borrowed)
    alone, _ = named_dates("on July 7th", 2025)
    assert [item.has_year for item in alone] == [False]


def test_a_day_that_no_calendar_has_is_told() -> None:
    """It is neither moved nor kept silent."""
    assert named_dates("between 2025-02-01 and 2025-02-29", 2025)[1] == ["2025-02-29"]


@given(st.text(alphabet="0123456789-/. :TZmayQ年月日,ofin", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    """Spans are whole and inside the calendar, whatever is written."""
    for item in named_dates(text, 2025)[0]:
        assert item.start <= item.end
        assert datetime.fromtimestamp(item.end, UTC).year <= 2099


@given(st.dates(min_value=date(2000, 1, 1), max_value=date(2099, 12, 31)))
def test_iso_days_come_back(day: date) -> None:
    """A day written is the day read."""
    assert ends(f"on {day} UTC") == [f"{day} 23:59:59"]
