"""Numbers as people and models write them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.answer import clean
from caia_replay.scoring.quantity import quantities


def values(text: str) -> list[Fraction]:
    """The values stated in a raw text."""
    return [quantity.value for quantity in quantities(clean(text))]


@settings(max_examples=150)
@given(
    st.integers(0, 10**24), st.integers(0, 999999), st.booleans(), st.sampled_from(["", ",", "_", "'", "\u202f", " "])
)
def test_separators_never_change_a_value(whole: int, decimals: int, negative: bool, separator: str) -> None:
    """Every habit of grouping thousands reads as the number itself."""
    grouped = f"{whole:,}".replace(",", separator) + f".{decimals:06d}"
    expected = Fraction(f"{whole}.{decimals:06d}")
    assert values(("-" if negative else "") + grouped) == [-expected if negative else expected]


@settings(max_examples=100)
@given(st.integers(1000, 10**15), st.integers(1, 99))
def test_the_continental_form_is_read(whole: int, cents: int) -> None:
    """1.234.567,89 is what 1,234,567.89 is."""
    text = f"{whole:,}".replace(",", ".") + f",{cents:02d}"
    assert values(text) == [Fraction(f"{whole}.{cents:02d}")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5e18", "1500000000000000000"),
        ("1.5 x 10^18", "1500000000000000000"),
        ("1.5×10¹⁸", "1500000000000000000"),
        ("10^6", "1000000"),
        ("1.5 million", "1500000"),
        ("1.5M", "1500000"),
        ("2bn", "2000000000"),
        ("3 thousand million", "3000000000"),
        ("0,5", "0.5"),
        ("12,34,567", "1234567"),
        (".5", "0.5"),
        ("minus 5", "-5"),
        ("a change of negative 3.5", "-3.5"),
        ("3.2亿", "320000000"),
        ("150万美元", "1500000"),
        ("一百二十三万四千", "1234000"),
        ("两亿", "200000000"),
        ("三点一四", "3.14"),
        ("十二", "12"),
        ("seven", "7"),
        ("12 transfers", "12"),
        ("约42个", "42"),
    ],
)
def test_one_number_in_many_forms(text: str, expected: str) -> None:
    """Powers, scale words, decimal commas, Chinese numerals and English words are exact."""
    assert values(text) == [Fraction(expected)]


@pytest.mark.parametrize(
    "text",
    [
        "ERC-20",
        "Uniswap v3",
        "1inch",
        "the 42nd",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "https://a.example/42",
        "one of them",
    ],
)
def test_names_are_not_numbers(text: str) -> None:
    """Digits inside names, hexadecimal words and addresses of pages state no quantity."""
    assert values(text) == []


def test_where_and_when_are_asides() -> None:
    """Block heights and dates are left out beside a number, and count when they are all there is."""
    assert values("In block 19,000,000 on 2024-03-01 at 12:30 there were 42 transfers") == [42]
    assert values("block 19000000") == [19000000]


def test_rejected_numbers_never_come_back() -> None:
    """ "not 43" leaves nothing, even when nothing else is stated."""
    assert values("not 43") == []
    assert values("not 43 but 42") == [42]


def test_units_stand_before_or_after() -> None:
    """$5, 5 USD, USD 5 and 5 dollars name one unit."""
    for text in ("$5", "5 USD", "USD 5", "5 dollars", "US$5", "5美元"):
        (quantity,) = quantities(clean(text))
        assert quantity.unit is not None and quantity.unit.family == "usd" and quantity.value == 5, text


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text gives numbers or none, never an exception."""
    quantities(clean(text))


def test_one_two_and_chinese_all_together_words() -> None:
    """The numeral in 一共 (altogether) is no number."""
    assert values("一共有四十二笔") == [42]
