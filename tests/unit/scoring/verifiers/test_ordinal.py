"""Places given in words and numbers."""

from __future__ import annotations

from itertools import permutations

import pytest

from caia_replay.scoring.verifiers.ordinal import ordered

NAMES = ("Aave", "Bancor", "Curve")
WORDS = ("first", "second", "third")
FORMS = (
    "{w} {0}",
    "{w}: {0}",
    "the {w} is {0}",
    "{n} {0}",
    "{n}: {0}",
    "#{d} {0}",
    "Rank {d}: {0}",
    "第{h}是{0}",
    "第{h}名{0}",
    "{0} ({n})",
    "{0} {w}",
    "{0} is {w}",
    "{0} (#{d})",
    "{d}. {0}",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_places_give_the_order_however_they_are_written(form: str, order: tuple[int, ...]) -> None:
    """Each value stands where its place says, in every order of writing."""
    between = "\n" if form.startswith("{d}.") else ", "
    nth = ("1st", "2nd", "3rd")
    text = between.join(form.format(NAMES[at], w=WORDS[at], n=nth[at], d=at + 1, h="一二三"[at]) for at in order)
    told = ordered(text, NAMES)
    assert told is not None and not told.fault, text
    assert told.names == ("aave", "bancor", "curve") and told.said == tuple(NAMES[at].lower() for at in order)


def test_circled_numbers_are_places() -> None:
    """As Chinese lists have them."""
    told = ordered("③Curve ①Aave ②Bancor", NAMES)
    assert told is not None and told.names == ("aave", "bancor", "curve")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "first Aave, first Bancor, third Curve",
            "first Aave, third Bancor, fourth Curve",
            "last Aave, then Bancor, Curve",
        ),
        *("Third Aave, Bancor, first Curve", "Aave, first Bancor, Curve", "Aave: 3, Bancor: 2, Curve: 1"),
    ],
)
def test_places_that_contradict_are_a_fault(text: str) -> None:
    """Twice the same, one left out, or against the order of writing."""
    told = ordered(text, NAMES)
    assert told is not None and told.fault


def test_no_place_is_no_order() -> None:
    """Plain lists and words inside a value's own name give none."""
    assert ordered("Aave, Bancor, Curve", NAMES) is None
    assert ordered("First Digital, 1inch", ("First Digital", "1inch")) is None
    told = ordered("first Aave, then Bancor, and finally Curve", NAMES)
    assert told is not None and told.names is None and not told.fault
