"""Numbers and dates as people write them."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.web import number
from caia_replay.origin.web.number import Written

VALUES = st.fractions(min_value=0, max_value=10**15)
_WORTH = {"trillion": 10**12, "billion": 10**9, "million": 10**6, "B": 10**9, "M": 10**6, "K": 10**3, "亿": 10**8,
          "万": 10**4, "": 1, "%": Fraction(1)}  # fmt: skip


def read_back(words: str) -> Fraction:
    """The number a reader takes from the words."""
    found = re.fullmatch(r"([\d,]+(?:\.\d+)?) ?(\D*)", words)
    assert found, words
    return Fraction(found[1].replace(",", "")) * _WORTH[found[2]]


@pytest.mark.parametrize("form", [number.exact, number.plain, number.short, number.letters, number.chinese])
@given(value=VALUES)
def test_what_is_written_is_near_the_truth(form: object, value: Fraction) -> None:
    """The words say the number in ``value``, which is half a step away from the truth at most."""
    written = form(value)  # type: ignore[operator]
    assert isinstance(written, Written)
    assert read_back(written.words) == written.value
    assert abs(written.value - value) <= written.step / 2


@given(st.fractions(min_value=Fraction(1, 10**5), max_value=10**6))
def test_a_price_has_telling_digits(value: Fraction) -> None:
    """A price keeps at least three digits that tell, however small it is."""
    written = number.price(value)
    assert read_back(written.words) == written.value
    assert written.step <= max(value / 100, Fraction(1, 10**8))


def test_dates_are_written_without_the_machine_s_locale() -> None:
    """English and Chinese days of one moment, in UTC."""
    at = 1_741_010_700  # 2025-03-03 14:05 UTC
    assert [number.day(at), number.short_day(at), number.iso_day(at)] == ["March 3, 2025", "3 Mar 2025", "2025-03-03"]
    assert [number.weekday(at), number.month(at), number.clock_time(at)] == ["Monday", "March 2025", "14:05 UTC"]
    assert number.chinese_day(at) == "2025年3月3日"


def test_negative_numbers_and_units() -> None:
    """A sign stands before the number; a unit goes around the words and changes nothing else."""
    assert number.exact(Fraction(-12_345, 10), 1).words == "-1,234.5"
    assert number.percent(-41_990).words == "4.2%"
    assert number.short(12_400_000).around("$").words == "$12.4 million"
    assert number.short(12_400_000).around("$").step == 100_000
