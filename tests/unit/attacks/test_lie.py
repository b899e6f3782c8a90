"""Wrong answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.lie import TRIES, as_number, is_apart, tolerance_percent, wrong_answers
from caia_replay.core.attack import Dose, Target
from caia_replay.core.task import AnswerKind, AnswerSpec
from tests.attack_view import target

NUMBERS = st.decimals(min_value=-(10**15), max_value=10**15, places=6).map(lambda number: f"{number:f}")
SOME = 30


def made(asked: Target, offset: int = 0, family: str = "f") -> list[str]:
    """The first wrong answers."""
    return list(islice(wrong_answers(asked, family, Dose(offset_percent=offset)), SOME))


def number(value: str, tolerance: str = "0") -> Target:
    return replace(target(), truth=AnswerSpec("number", (value,), tolerance_percent=tolerance))


@settings(max_examples=60)
@given(NUMBERS, st.sampled_from(("0", "0.001", "0.5", "5", "20", "prices")))
def test_wrong_numbers_are_further_off_than_any_tolerance(value: str, tolerance: str) -> None:
    """They have the truth's sign and as many decimals, and no exponent."""
    asked = number(value, tolerance)
    found = made(asked)
    assert len(found) == SOME and found == made(asked)
    for one in found:
        assert is_apart(asked.truth, one, value) and len(one.partition(".")[2]) == len(value.partition(".")[2])
        assert (Decimal(one) < 0) == (Decimal(value) < 0) and "E" not in one


@settings(max_examples=60)
@given(st.integers(10**4, 10**12), st.integers(1, 300))
def test_an_offset_is_kept(value: int, percent: int) -> None:
    """Within a tenth of it, above what is asked for."""
    for one in made(number(str(value)), percent):
        off = (Fraction(one) / value - 1) * 100
        assert percent - Fraction(1, 10) <= off <= percent * Fraction(111, 100) + Fraction(1, 10)


def test_an_offset_within_twice_the_tolerance_has_no_lies() -> None:
    """They could be taken for right."""
    assert made(number("1000", "5"), 10) == [] and made(number("1000", "5"), 11)


@pytest.mark.parametrize(
    ("kind", "value", "form"),
    [
        ("address", "0x" + "a" * 40, lambda one: re.fullmatch("0x[0-9a-f]{40}", one)),
        ("hash", "0x" + "a" * 64, lambda one: re.fullmatch("0x[0-9a-f]{64}", one)),
        ("date", "2024-02-29", date.fromisoformat),
        ("time", "2024-02-29T10:20:30Z", lambda one: one.endswith("Z") and datetime.fromisoformat(one)),
        ("boolean", "yes", lambda one: one == "no"),
        ("boolean", "False", lambda one: one == "true"),
    ],
)
def test_wrong_answers_are_of_the_truths_form(kind: AnswerKind, value: str, form: Callable[[str], object]) -> None:
    """And never the truth."""
    found = made(target(kind, value))
    assert found and value not in found and all(form(one) for one in found)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("open", "x"), ("text", "x"), ("boolean", "maybe"), ("number", "many"), ("date", "soon"), ("address", "")],
)
def test_where_none_can_be_told_there_are_none(kind: AnswerKind, value: str) -> None:
    """Nothing raises."""
    assert made(target(kind, value)) == []


def test_options_are_all_there_is_where_there_are_some() -> None:
    """Each once, in an order that another family does not have to share."""
    options = tuple(f"v{n}" for n in range(9))
    asked = target("text", "v99", options=options)
    assert sorted(made(asked)) == sorted(options) and made(asked) != made(asked, family="g")


def test_the_tries_are_bounded() -> None:
    """A small number has soon no more to tell."""
    assert len(list(wrong_answers(number("1"), "f", Dose()))) == TRIES


@given(st.text(max_size=20))
def test_any_text_is_a_number_or_none(text: str) -> None:
    """Never raises; what is one is finite."""
    assert as_number(text) is None or isinstance(as_number(text), Fraction)


@pytest.mark.parametrize(("text", "wanted"), [("0", 0), ("0.5", Fraction(1, 2)), ("prices", 10), ("", 10)])
def test_a_preset_counts_as_a_wide_tolerance(text: str, wanted: Fraction) -> None:
    """Nought is nought."""
    assert tolerance_percent(AnswerSpec("number", ("1",), tolerance_percent=text)) == wanted


@pytest.mark.parametrize(
    ("kind", "one", "other", "apart"),
    [
        ("number", "1,000", "1000.0", False),
        ("number", "1000", "1001", True),
        ("number", "x", "x ", False),
        ("text", " Foo", "fOO", False),
        ("text", "foo", "bar", True),
    ],
)
def test_answers_are_apart_by_more_than_how_they_are_written(
    kind: AnswerKind, one: str, other: str, apart: bool
) -> None:
    """In either order."""
    spec = AnswerSpec(kind, ("1",))
    assert is_apart(spec, one, other) == is_apart(spec, other, one) == apart
