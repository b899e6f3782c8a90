"""Dates at day resolution."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.date import DateVerifier

MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
days = st.dates(date(1990, 1, 1), date(2099, 12, 31))


def right(value: date | str, answer: str) -> bool | None:
    """The verdict alone."""
    return DateVerifier().verify(AnswerSpec("date", (str(value),)), answer).correct


def forms(day: date) -> list[str]:
    """The same day as people write it."""
    month = MONTHS[day.month - 1]
    return [
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{month} {day.day}, {day.year}",
        f"{month[:3]}. {day.day} {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day}th of {month}, {day.year}",
        f"{day:%d}-{month[:3]}-{day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"It happened on {day.isoformat()} at 12:30 UTC.",
        f"{day.isoformat()}T12:30:00Z",
    ]


@settings(max_examples=60)
@given(days)
def test_every_form_of_a_day_is_that_day(day: date) -> None:
    """ISO, English and Chinese forms agree."""
    for form in forms(day):
        assert right(day, form) is True, form


@settings(max_examples=60)
@given(days, st.integers(1, 400))
def test_another_day_never_passes(day: date, away: int) -> None:
    """One day off is wrong in every form, alone or as a hedge."""
    for form in forms(day + timedelta(days=away)):
        assert right(day, form) is False, form
    assert right(day, f"{day} or {day + timedelta(days=away)}") is False


def test_a_zone_is_converted_to_utc() -> None:
    """23:30 in New York is the next day in UTC."""
    assert right("2024-03-01", "2024-02-29T23:30:00-05:00") is True
    assert right("2024-02-29", "2024-02-29T23:30:00-05:00") is False


@pytest.mark.parametrize("answer", ["03/04/2024", "April 2024", "2024", "2024-13-04", "2024-04-31"])
def test_what_is_no_single_day_is_wrong(answer: str) -> None:
    """Ambiguous order, a month alone and impossible days give no reading."""
    assert right("2024-04-03", answer) is False


def test_an_unambiguous_order_is_read() -> None:
    """Thirteen can only be a day."""
    assert right("2024-04-13", "13/04/2024") is True and right("2024-04-13", "04/13/2024") is True
