"""Names in prose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.naming import explains, introduced, name_in, only_asked, own_words, uncited

ACCEPTED = frozenset({"panteracapital"})


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever is submitted has at least the reading of its whole text."""
    said = introduced(text)
    assert said
    assert all(name_in(phrase, ACCEPTED) in (None, "panteracapital") for phrase in said)


@pytest.mark.parametrize(
    "text",
    ["X [1]", "[X](https://a.b/c)", "X 【4†source】", "X\n\nSources:\n- https://a.b\n- CoinDesk", "X https://a.b/c"],
)
def test_citations_are_no_part_of_a_name(text: str) -> None:
    """Marks, links and a closing list of sources go."""
    assert uncited(text) == "X"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("X, not Y", "X"),
        ("not Y but X", "X"),
        ("Some blogs say Y, but X", "X"),
        ("Y is wrong; X", "X"),
        ("Although a blog claims Y, X", "X"),
        ("X (not Y)", "X"),
    ],
)
def test_what_an_answer_sets_itself_off_against_is_not_its_own(text: str, left: str) -> None:
    """A rejected name goes, whichever way it is rejected."""
    assert own_words(text) == left


@pytest.mark.parametrize("text", ["X, although it might be Y", "X, not sure", "not only X", "X or Y"])
def test_a_doubt_stays(text: str) -> None:
    """What doubts is never dropped as an aside."""
    assert own_words(text) == text


@pytest.mark.parametrize(
    "rest", [", a mixer on Ethereum", " according to X", ". This is a mixer", ": the largest one", " (from the docs)"]
)
def test_an_explanation_explains(rest: str) -> None:
    """What only tells more about a name leaves it the answer."""
    assert explains(rest)


@pytest.mark.parametrize(
    "rest", [" or Y", ", Y", " and Y", ". It is Y", ", a name also used by Y", " (Y)", ", the answer is Y", " Two"]
)
def test_another_name_does_not_explain(rest: str) -> None:
    """Alternatives, second names, restatements and longer names do not."""
    assert not explains(rest)


def test_a_ticker_in_brackets_is_the_same_name() -> None:
    """Two to six of the name's letters in order abbreviate it; another name does not."""
    assert name_in("Pantera Capital (PCAP)", ACCEPTED) and not name_in("Pantera Capital (POLY)", ACCEPTED)


def test_a_question_mark_at_the_end_asks() -> None:
    """Unless a value has one itself."""
    assert only_asked("X?", ["X"]) and only_asked("X (?)", ["X"]) and not only_asked("X. Why? Because.", ["X"])
    assert not only_asked("Who is X?", ["Who is X?"])
