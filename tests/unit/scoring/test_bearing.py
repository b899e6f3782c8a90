"""Bounds, directions and denials in the words around a number."""

from __future__ import annotations

import pytest

from caia_replay.scoring.bearing import EITHER, bound, change, denied, ends, undecided


@pytest.mark.parametrize(
    "before",
    [
        *("more than ", "over ", "at least ", "no fewer than about ", "exceeds ", ">", ">= ", "≥", "超过", "至少约"),
        *("greater than or equal to ", "as few as ", "after block ", "a minimum of "),
    ],
)
def test_lower_bounds(before: str) -> None:
    """A number said to be passed is a bound."""
    assert bound(before, "") == ">"


@pytest.mark.parametrize(
    "before", ["less than ", "under ", "at most ", "up to ", "<", "≤ ", "no more than ", "不到", "最多", "as many as "]
)
def test_upper_bounds(before: str) -> None:
    """A number said not to be reached is a bound."""
    assert bound(before, "") == "<"


@pytest.mark.parametrize(
    "after", ["+", " or more", " and above", " at least", "以上", "多个", " or fewer", "以下", " < x"]
)
def test_bounds_behind_the_number(after: str) -> None:
    """ "42+" and "42 or more" are bounds."""
    assert bound("", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [("about ", ""), ("~", ""), ("-> ", ""), ("=> ", ""), ("moreover ", " or so"), ("", " + 3"), ("nearly ", "")],
)
def test_approximations_are_no_bounds(before: str, after: str) -> None:
    """ "about 42" and an arrow before it state 42."""
    assert bound(before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("fell by ", "", -1),
        ("", " decrease", -1),
        ("TVL rose ", "", 1),
        ("", " higher", 1),
        ("did not fall; it rose ", "", 1),
        ("a gain of ", " after an earlier decline", 1),
        ("which rose last month, saw a ", " decrease", -1),
        ("rose or fell by ", "", EITHER),
        ("", "", 0),
        ("without any rise it is ", "", 0),
        ("", ", not an increase", 0),
        ("下降了", "", -1),
        ("the contract holds ", "", 0),
        ("Volume fell. It is ", "", 0),
        ("", " decrease, not an increase", -1),
        ("not an increase but a decrease of ", "", -1),
    ],
)
def test_the_nearest_word_says_the_way(before: str, after: str, way: int) -> None:
    """The nearest unnegated word of the same sentence decides; both ways joined by "or" decide nothing."""
    assert change(before, after) == way


@pytest.mark.parametrize(
    ("before", "after"),
    [("did not rise by ", ""), ("fell to ", " of its earlier level"), ("the blog says ", ", but it is ")],
)
def test_denials(before: str, after: str) -> None:
    """What did not happen, what is a level, and what a page says before "but" is not the answer."""
    assert denied(before, after)


@pytest.mark.parametrize(
    ("before", "after"), [("not only ", ""), ("the note: ", ""), ("", " of its supply"), ("the chain says ", ", but")]
)
def test_other_words_deny_nothing(before: str, after: str) -> None:
    """Only a negation and its verb deny a number."""
    assert not denied(before, after)


def test_a_choice_left_open_is_seen() -> None:
    """ "I cannot tell which" leaves every number standing; knowing does not."""
    assert undecided("42 or 43, I cannot tell which") and undecided("it is one of these")
    assert not undecided("I can tell that it is 42")


def test_sentences_end_and_abbreviations_do_not() -> None:
    """A full stop ends a sentence, "i.e." does not."""
    assert ends(". Then ") and ends("; ") and not ends(", i.e. ") and not ends("1.5")
