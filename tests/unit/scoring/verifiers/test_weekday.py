"""Weekdays beside dates."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.weekday import other_weekday

ENGLISH = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HAN = "一二三四五六日"


@settings(max_examples=60)
@given(st.dates(date(1990, 1, 1), date(2099, 12, 31)), st.integers(0, 6))
def test_a_weekday_must_be_that_of_its_date(day: date, away: int) -> None:
    """In full, shortened, and in Chinese: right for the day, wrong for the six others."""
    said = (day + timedelta(days=away)).weekday()
    name = ENGLISH[said]
    for form in (
        f"{name}, {day}",
        f"{day} ({name})",
        f"{name[:3]}, {day}",
        f"{day} ({name[:3]})",
        f"on a {name.lower()}",
    ):
        assert bool(other_weekday(form, {day})) is (away != 0), form
    for form in (f"{day} 星期{HAN[said]}", f"周{HAN[said]},{day}", f"{day}(礼拜{HAN[said]})"):
        assert bool(other_weekday(form, {day})) is (away != 0), form


@pytest.mark.parametrize(
    "text", ["每周一次", "两周五次", "the sun set", "sat on it", "one month", "not Friday but 2024-06-04", "wedge"]
)
def test_other_words_are_no_weekdays(text: str) -> None:
    """Weeks, words of the same letters and rejected weekdays say nothing."""
    assert other_weekday(text, {date(2024, 6, 4)}) == ""
