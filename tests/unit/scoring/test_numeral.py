"""Numerals in digits, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.numeral import chinese, digits, english

TO_NINETEEN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_english(number: int, hyphen: str, joint: str) -> str:
    """A number below 10^15 in English words, written apart from the reader."""
    for scale, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if number >= scale:
            rest = number % scale
            glue = (joint if rest < 100 else " ") if rest else ""
            head = f"{in_english(number // scale, hyphen, joint)} {name}"
            return head + (glue + in_english(rest, hyphen, joint) if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{TO_NINETEEN[number // 100]} hundred" + (joint + in_english(rest, hyphen, joint) if rest else "")
    if number >= 20:
        return TENS[number // 10] + (hyphen + TO_NINETEEN[number % 10] if number % 10 else "")
    return TO_NINETEEN[number]


def in_chinese(number: int) -> str:
    """A number below 10^16 in full Chinese numerals, written apart from the reader."""
    for scale, mark, small in ((10**8, "亿", 10**7), (10**4, "万", 1000)):
        if number >= scale:
            high, low = divmod(number, scale)
            return in_chinese(high) + mark + (("零" if low < small else "") + in_chinese(low) if low else "")
    text, gap = "", False
    for place, mark in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            text += ("零" if gap and text else "") + "零一二三四五六七八九"[digit] + mark
        gap = not digit
    return text or "零"


def values(found: Iterable[Any]) -> list[Fraction]:
    """The values of the numbers found."""
    return [spelled.value for spelled in found]


@settings(max_examples=200)
@given(st.integers(0, 10**15 - 1), st.sampled_from(["-", " "]), st.sampled_from([" ", " and "]), st.booleans())
def test_english_words_are_read_back(number: int, hyphen: str, joint: str, shout: bool) -> None:
    """Every number in words, with or without "and" and hyphens, in any case, is that number and nothing else."""
    words = in_english(number, hyphen, joint)
    assert values(english(words.upper() if shout else words)) == [number]


@settings(max_examples=200)
@given(st.integers(0, 10**16 - 1), st.integers(1, 9999), st.integers(1, 9999))
def test_chinese_numerals_are_read_back(number: int, high: int, low: int) -> None:
    """Every number in Chinese numerals is that number and nothing else; 1亿2345万 is 123,450,000."""
    assert values(chinese(in_chinese(number))) == [number]
    assert values(chinese(f"{high}亿{low}万")) == [high * 10**8 + low * 10**4]


ENGLISH = (
    ("one point five million", "1500000"), ("one and a half million", "1500000"), ("half a million", "500000"),
    ("a hundred", "100"), ("two dozen", "24"), ("fifteen hundred", "1500"), ("zero point zero five", "0.05"),
)  # fmt: skip
CHINESE = (
    ("三万五", "35000"), ("一百五", "150"), ("十二点三", "12.3"), ("二〇二四", "2024"), ("叁佰万", "3000000"),
    ("两亿", "200000000"), ("一个半", "1.5"), ("两个半", "2.5"), ("十二个半小时", "12.5"), ("三个半数", "3"),
)  # fmt: skip
NO_ENGLISH = (
    "no one", "the one", "one of them", "millions", "a", "half", "point", "layer-one", "and", "someone",
)  # fmt: skip
NO_CHINESE = (
    "一共", "一般", "第四十二", "一二百", "万一", "十分", "四五", "百分之", "之一", "统一",
)  # fmt: skip


@pytest.mark.parametrize(
    ("read", "phrases", "others"), [(english, ENGLISH, NO_ENGLISH), (chinese, CHINESE, NO_CHINESE)]
)
def test_turns_of_phrase_are_exact(
    read: Callable[[str], Iterable[Any]], phrases: tuple[tuple[str, str], ...], others: tuple[str, ...]
) -> None:
    """Decimals, halves, dozens, short forms and bank notes; pronouns, names, ordinals and "four or five" are none."""
    for text, value in phrases:
        assert values(read(text)) == [Fraction(value)], text
    assert [text for text in others if values(read(text))] == []


def test_two_numbers_in_a_row_stay_two() -> None:
    """ "forty-two forty-three" and "two and three" are two numbers each."""
    assert values(english("forty-two forty-three")) == [42, 43] and values(english("two and three")) == [2, 3]


@pytest.mark.parametrize(("text", "value"), [
    ("1,234,567.8", "1234567.8"), ("1 234 567,8", "1234567.8"), ("1.234.567", "1234567"), ("12,34,567", "1234567"),
    ("0,123", "0.123"),
])  # fmt: skip
def test_digits_of_every_habit(text: str, value: str) -> None:
    """Separators group or divide by what they can mean."""
    assert digits(text) == Fraction(value)


def test_endless_numerals_are_not_read() -> None:
    """Numerals nobody means cost nothing and break nothing."""
    assert not values(chinese("九" * 5000)) and not values(chinese("一" + "亿" * 5000))
    assert not values(english("million " * 5000))
