"""The elements an answer lists."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.listing import listings, misnumbered, open_ended

VALUES = ("Aave", "Trail of Bits, Inc", "Fish and Chips")


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_any_text_is_some_listing(text: str) -> None:
    """Reading never fails, and what is read is folded."""
    said = listings(text, VALUES)
    assert said and all(element == element.casefold() for elements in said for element in elements)


def test_a_value_with_a_separator_is_one_element() -> None:
    """Commas and "and" inside a value do not split it."""
    assert ("aave", "trailofbitsinc", "fishandchips") in listings("Aave, Trail of Bits, Inc and Fish and Chips", VALUES)


def test_an_element_keeps_what_is_no_explanation() -> None:
    """Another name in brackets stays part of the element, so that it cannot hide there."""
    assert listings("Aave (and Curve)", VALUES)[-1] == ("aave(andcurve)".replace("(", "").replace(")", ""),) or all(
        elements != ("aave",) for elements in listings("Aave (and Curve)", VALUES)
    )


@pytest.mark.parametrize(
    ("text", "wrong"), [("1. a\n2. b", False), ("2. a\n1. b", True), ("1. a", False), ("a, b", False)]
)
def test_numbers_must_count_up(text: str, wrong: bool) -> None:
    """A numbering that runs otherwise is told."""
    assert misnumbered(text) is wrong


def test_a_list_says_that_it_goes_on_in_words_no_value_has() -> None:
    """Shortened addresses are no ellipsis."""
    assert open_ended("Aave, etc.", ["Aave"]) and open_ended("Aave…", ["Aave"]) and open_ended("Aave等", ["Aave"])
    assert not open_ended("Aave (0x12...9f)", ["Aave"]) and not open_ended("Et Al Labs", ["Et Al Labs"])
