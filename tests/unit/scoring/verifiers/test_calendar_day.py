"""Days in text."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.calendar_day import days, parts

DIGITS = "〇一二三四五六七八九"


def han(number: int) -> str:
    """A number to 31 as Chinese writes it."""
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else DIGITS[tens] + "十"
    return head + ("" if ones == 0 else DIGITS[ones])


@settings(max_examples=150)
@given(st.dates(date(1990, 1, 1), date(2099, 12, 31)))
def test_chinese_numerals_are_the_same_day(day: date) -> None:
    """Numerals and digits name one day, mixed as well."""
    year = "".join(DIGITS[int(c)] for c in str(day.year))
    for text in (f"{year}年{han(day.month)}月{han(day.day)}日", f"{day.year}年{han(day.month)}月{day.day}号"):
        assert [found.days for found in days(text)] == [(day,)], text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "4 de junio de 2024",
            "4. Juni 2024",
            "4 juin 2024",
            "4 giugno 2024",
            "4 de junho de 2024",
            "Jun-04-2024 05:13 AM",
        ),
        *(
            "20240604",
            "2024 June 4",
            "the 4th of June 2024",
            "June the 4th, 2024",
            "2024.06.04",
            "4-Jun-2024",
            "Jun. 4,2024",
        ),
    ],
)
def test_forms_of_a_day(text: str) -> None:
    """Other languages, explorers and compact dates."""
    assert [found.days for found in days(text)] == [(date(2024, 6, 4),)]


@pytest.mark.parametrize("text", ["2024-13-01", "31 April 2024", "2024-06", "120240604 wei", "v1.2.2024.3", "十月革命"])
def test_no_day(text: str) -> None:
    """Impossible days and other numbers are none."""
    assert days(text) == ()


def test_a_day_that_could_be_two_is_two() -> None:
    """Third of April or fourth of March."""
    assert days("03/04/2024")[0].days == (date(2024, 3, 4), date(2024, 4, 3))


@pytest.mark.parametrize("text", ["June 2024", "June 4", "4 June", "6月4日", "2024年6月", "2024-06"])
def test_a_part_fits_its_day_and_no_other(text: str) -> None:
    """What is left unsaid is left open."""
    (part,) = parts(text, days(text))
    assert part.fits(date(2024, 6, 4)) and not part.fits(date(2024, 7, 5))
    assert part.fits(date(2024, 6, 5)) is (part.day is None) and part.fits(date(2023, 6, 4)) is (part.year is None)


def test_a_whole_day_has_no_part() -> None:
    """The month inside a date is not told apart."""
    text = "June 4, 2024 and 2024年6月4日"
    assert parts(text, days(text)) == ()
