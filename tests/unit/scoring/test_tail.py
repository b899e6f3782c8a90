"""Scale words, units and nouns behind a number."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.tail import Tail, tail
from caia_replay.scoring.unit import KNOWN, Unit, parse_unit
from caia_replay.scoring.verifiers.number import NumberVerifier


def test_minutes_are_minutes_where_a_time_is_asked_for() -> None:
    """45m is 45 minutes for a duration and 45 million elsewhere."""
    assert tail("45m", 2, KNOWN["day"]).unit == KNOWN["min"]
    assert tail("45m", 2, None).scale == 10**6


def test_a_scale_has_an_end() -> None:
    """A thousand scale words are no number of ten thousand digits."""
    assert tail(" million" * 1000, 0, None).scale <= 10**36


@pytest.mark.parametrize("word", ["nd", "-nd", "-th", "abc"])
def test_what_is_attached_makes_a_name(word: str) -> None:
    """Ordinals, with a hyphen or without, and letters that are no unit are part of a name."""
    assert tail(word, 0, None).name


@pytest.mark.parametrize(
    ("text", "factor"),
    [(" milliether", Fraction(1, 1000)), (" kiloether", Fraction(1000)), (" microETH", Fraction(1, 10**6))],
)
def test_prefixed_units_are_units(text: str, factor: Fraction) -> None:
    """A prefix of ten before a unit is part of it, whether a unit is asked for or not."""
    assert tail(text, 0, None) == tail(text, 0, KNOWN["eth"]) == Tail(len(text), 1, Unit("ether", factor))


@pytest.mark.parametrize(
    ("text", "asked", "per"),
    [
        (" USD per day", "USD", "time*86400"),
        (" USD per each day", "USD", "time*86400"),
        (" USD per ETH", "USD per ETH", "ether*1"),
        (" USD per token", "USD", ""),
        (" USD per sheep", "USD", "each"),
        (" USD per sheep", "USD per sheep", "own:sheep*1"),
    ],
)
def test_rates_say_what_they_are_counted_by(text: str, asked: str, per: str) -> None:
    """A time, a thing or a currency is kept; a token says nothing new, and what is unknown is one of many."""
    unit = tail(text, 0, parse_unit(asked)[0]).unit
    assert unit is not None and unit.per == per


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_the_end_lies_in_the_text(text: str) -> None:
    """Whatever stands behind a number, its end is between start and end of the text."""
    assert 0 <= tail(text, 0, KNOWN["eth"]).end <= len(text)


@pytest.mark.parametrize("thing", ["sheep", "geese", "milliboxes", "old cars", "walruses"])
def test_an_unknown_thing_is_no_amount(thing: str) -> None:
    """A number of what is neither a unit nor a word for tokens is no amount of money or of a token."""
    assert NumberVerifier().verify(AnswerSpec("number", ("42",), "ETH"), f"42 {thing}").correct is False
    assert NumberVerifier().verify(AnswerSpec("number", ("42",), "USD"), f"42 million {thing}").correct is False


@pytest.mark.parametrize(
    "words", ["tokens", "coins", "in total", "sent to the bridge", "was deposited", "went to it", "altogether"]
)
def test_words_that_say_how_an_amount_is_meant(words: str) -> None:
    """Tokens, totals and verbs count no other thing."""
    assert NumberVerifier().verify(AnswerSpec("number", ("42",), "ETH"), f"42 {words}").correct is True
