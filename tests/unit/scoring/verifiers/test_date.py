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


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "20240604",
            "二〇二四年六月四日",
            "Jun-04-2024 05:13:59 AM UTC",
            "2024-06-05 07:00 Beijing time",
            "4 de junio de 2024",
        ),
        *("June 4, 2024, not June 5, 2024 as the blog says", "not 2024-06-05 but 2024-06-04", "2024-06-04 (June 4th)"),
        *(
            "While a blog claims June 5, 2024, the correct date is June 4, 2024",
            "Jun 4, 2024 [1]\n\n[1] https://a.b/c?day=5",
        ),
    ],
)
def test_right_days_as_models_write_them(answer: str) -> None:
    """Compact, Chinese, zoned and rejecting forms."""
    assert right("2024-06-04", answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "2024-06-04 or June 5",
            "2024-06-04 or 05",
            "June 4 or 5, 2024",
            "before June 4, 2024",
            "2024年6月4日之后",
            "not 2024-06-04",
        ),
        *(
            "2024-06-04 23:30 EST",
            "the day after 2024-06-04",
            "2024-06-04 or the next day",
            "2024-06-04, or maybe July 2024",
        ),
        *(
            "2024-06-04 is wrong",
            "3–4 June 2024",
            "either 3 or 4 June 2024",
            "the week of June 4, 2024",
            "2024-06-04 to 2024-06-06",
            "June 4",
            "20240605",
            "二〇二四年六月十四日",
        ),
    ],
)
def test_wrong_days_as_models_write_them(answer: str) -> None:
    """Bounds, ranges, hedges with half a date, and rejected days."""
    assert right("2024-06-04", answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "截至2024年6月4日",
            "by 4 June 2024",
            "as of 4 June 2024",
            "around 4 June 2024",
            "4 June 2024 or so",
            "c. 4 June 2024",
        ),
        *("农历2024年6月4日", "4 June 2024 in the lunar calendar", "since June 4, 2024", "June 4, 2024 at the latest"),
        *("Wednesday, 4 June 2024", "2024-06-04 (Friday)", "2024年6月4日 星期三", "周五，2024年6月4日"),
    ],
)
def test_bounds_approximations_calendars_and_other_weekdays_are_wrong(answer: str) -> None:
    """None of them states that one day."""
    assert right("2024-06-04", answer) is False


@settings(max_examples=60)
@given(days, st.integers(0, 6))
def test_a_weekday_has_to_be_the_days(day: date, away: int) -> None:
    """Every form with its own weekday is right, with another one wrong."""
    for form in forms(day):
        assert right(day, f"{form} ({day + timedelta(days=away):%A})") is (away == 0), form
