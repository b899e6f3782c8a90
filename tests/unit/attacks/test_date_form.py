"""Days in a question, and how else they are written."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.date_form import chinese_form, days_named, english_form, forms
from caia_replay.search.window import days_in

DAYS = st.dates(date(2000, 1, 1), date(2099, 12, 31))


@given(DAYS, DAYS)
def test_a_day_is_found_in_every_form_that_names_a_year(one: date, other: date) -> None:
    """Forms round trip, two in one text as well."""
    for form in (english_form(one), chinese_form(one), one.isoformat(), forms(one)[1]):
        assert days_named(f"on {form}, please") == [one]
    assert days_named(f"from {one.isoformat()} to {english_form(other)}") == list(dict.fromkeys((one, other)))


@given(DAYS)
def test_the_search_reads_the_forms_as_that_day(day: date) -> None:
    """At least those that name a year."""
    for form in forms(day)[:3]:
        assert len(days_in(form)) == 1


@pytest.mark.parametrize("text", ["2024-13-01", "31 February 2024", "12024-05-01", "20240501", "May 2024", ""])
def test_what_is_no_day_is_none(text: str) -> None:
    """Nothing raises."""
    assert days_named(text) == []
