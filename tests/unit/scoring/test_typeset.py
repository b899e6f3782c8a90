"""Formulas, tags and foreign digits said plainly."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.scoring.answer import clean
from caia_replay.scoring.typeset import ascii_digits, plain, without_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\boxed{48213}$", "48213"),
        (r"$\$2.45\text{ billion}$", "$2.45 billion"),
        (r"$+12\%$", "+12%"),
        (r"\(2.1 \times 10^{-5}\)", r"\(2.1 × 10^-5\)"),
        (r"1\,234", "1 234"),
        ("<b>42</b>", "42"),
        ("$5 to $6", "$5 to $6"),
        ("19.000.000 y 48.213", "19.000.000 y 48,213"),
        ("1.234,50 and 2.345", "1.234,50 and 2,345"),
        ("48.213", "48.213"),
    ],
)
def test_typesetting_goes_and_values_stay(text: str, expected: str) -> None:
    """Commands, boxes and tags go; money and a lone decimal point stay what they are."""
    assert plain(text) == expected


@given(st.text())
def test_digits_of_every_script_are_ascii(text: str) -> None:
    """No decimal digit of another script is left, and no length changes."""
    out = ascii_digits(text)
    assert len(out) == len(text)
    assert not [c for c in out if unicodedata.category(c) == "Nd" and not c.isascii()]


@pytest.mark.parametrize("name", ["https://a.example/42?x=7", "0x2a", "0x9c1f...", "ab12" * 16, "【42†source】"])
def test_names_hold_no_digits(name: str) -> None:
    """URLs, hexadecimal words and citation marks are blanked out behind a word."""
    assert not any(c.isdigit() for c in without_names("value " + name))


def test_the_numbers_of_a_list_are_no_values() -> None:
    """ "1." and "2." at the beginning of lines go, a lone number does not."""
    assert without_names("1. 45\n2. 46") == "@ 45\n@ 46"
    assert without_names("42. There are three") == "42. There are three"
    assert without_names("1. ") == "1. "


@given(st.text(max_size=80))
def test_plain_text_stays_plain(text: str) -> None:
    """What was said plainly once is not changed again."""
    once = plain(clean(text))
    assert plain(once) == once or "\\" in once or "<" in once or "$" in once
