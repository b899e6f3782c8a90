"""Which part every number of an answer plays."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring import role
from caia_replay.scoring.figure import figures
from caia_replay.scoring.part import LIST, RANGE, around, joint, parts_of
from caia_replay.scoring.unit import parse_unit
from caia_replay.scoring.verifiers.number import NumberVerifier


def claimed(text: str, unit: str = "") -> list[int]:
    """The values that stand nearest to an answer, where ``unit`` is asked for."""
    expected = parse_unit(unit)[0]
    found = list(figures(text, expected))
    parts = parts_of(text, found, expected)
    return [int(one.value) for one, part in zip(found, parts) if part == min(parts)]


@pytest.mark.parametrize(
    "whole", ["45 out of 60", "45 (out of 60)", "45 of 60", "45 (of 60)", "45 out of a total of 60", "45个(共60个)"]
)
def test_the_whole_is_no_answer_beside_its_part(whole: str) -> None:
    """Brackets around the whole change nothing."""
    assert claimed(whole) == [45]


@pytest.mark.parametrize(
    "text",
    [
        "rose from {} to {}",
        "It went from {} to {}",
        "fell from {} to {}",
        "从{}增加到{}",
        "从{}个降至{}个",
        "由{}增至{}",
    ],
)
def test_where_a_change_ended_is_nearer_than_where_it_began(text: str) -> None:
    """In either direction; a share is left between both, since a change of it may be meant."""
    assert claimed(text.format(10, 42)) == [42] and claimed(text.format(50, 42)) == [42]
    assert claimed(text.replace("{}", "{}%").format(10, 42), "%") == [10, 42]


@pytest.mark.parametrize("text", ["from {} to {}", "从{}到{}", "{} -> {}", "{} to {}", "between {} and {}"])
def test_a_range_claims_both_ends(text: str) -> None:
    """Without a word of change nothing went from the one end to the other."""
    assert claimed(text.format(10, 42)) == [10, 42]


def test_a_change_told_beside_its_ends_is_the_answer() -> None:
    """By how much it rose is nearer than where it ended."""
    assert claimed("rose from 30 to 42, by 12") == [12]


def test_lone_numbers_are_claims() -> None:
    """One number, and none, need no weighing."""
    assert parts_of("page 42", list(figures("page 42")), None) == [role.CLAIM] and parts_of("", [], None) == []


def test_what_stands_around_a_number_ends_at_its_neighbours() -> None:
    """Words are said of the number beside them."""
    text = "about 3 or 4 transfers"
    found = list(figures(text))
    assert around(text, found, 0) == ("about ", " or ") and joint(text, found, 0) == " or "
    assert RANGE.fullmatch(" or ") and LIST.fullmatch(", ") and not RANGE.fullmatch(", ")


def test_a_level_answers_no_change() -> None:
    """Where a change is asked for, what something rose to is no answer."""
    assert NumberVerifier().verify(AnswerSpec("number", ("42",), "ETH"), "rose from 10 to 42 ETH").correct is True
    assert (
        NumberVerifier().verify(AnswerSpec("number", ("42",), "ETH", "0", (), "up"), "rose from 10 to 42 ETH").correct
        is False
    )
    assert NumberVerifier().verify(AnswerSpec("number", ("42",), "%"), "fell from 100% to 42%").correct is False
