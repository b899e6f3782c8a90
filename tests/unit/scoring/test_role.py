"""Answers told from what is only mentioned beside them."""

from __future__ import annotations

import pytest

from caia_replay.scoring import role


@pytest.mark.parametrize(
    "text",
    [
        *("2024-03-01", "1 March 2024", "March 1st, 2024", "12:30", "2024年3月1日", "Q1 2024", "in 2024", "3/1/2024"),
        *("二〇二四年三月一日", "May 2024", "2024-03-01T12:30:00Z"),
    ],
)
def test_dates_and_times_are_moments(text: str) -> None:
    """Every habit of writing a day or a time is one span over the whole of it."""
    assert role.moments(f"On {text}, x")[0][1] >= len(f"On {text}")


@pytest.mark.parametrize("text", ["a total of 2024", "2024 transfers", "42 may", "1.5"])
def test_other_numbers_are_no_moments(text: str) -> None:
    """A number that looks like a year is one only where a year is spoken of."""
    assert role.moments(text) == []


@pytest.mark.parametrize("text", ["blocks 12 to 27", "block 12-27", "between blocks 1,200 and 1,424", "区块100至200"])
def test_block_ranges(text: str) -> None:
    """Both ends of a range of blocks are inside its span."""
    ((left, right),) = role.block_ranges(text)
    assert all(left <= at < right for at, c in enumerate(text) if c.isdigit())


@pytest.mark.parametrize(
    ("before", "part"),
    [
        ("in block ", role.BLOCK),
        ('"block": ', role.BLOCK),
        ("区块 ", role.BLOCK),
        ("log index ", role.MENTION),
        ("the top ", role.MENTION),
        ("up from ", role.MENTION),
        ("there are ", role.CLAIM),
        ("", role.CLAIM),
        ("block: the count is ", role.CLAIM),
    ],
)
def test_places(before: str, part: int) -> None:
    """The word before a number says whether it names a place."""
    assert role.place(before) == part


def test_calculations_end_in_their_result() -> None:
    """The operands of a side of "=" are mentions; a side without operator is a claim; without "=" all are claims."""
    assert role.operands([" - ", ") / ", " = "]) == {0, 1, 2}
    assert role.operands([" = ", " + "]) == {1, 2}
    assert role.operands([" + ", " and ", " = "]) == set()
    assert role.operands([" + "]) == set()
    assert role.operands([" = "]) == set()
    assert role.operands([" or "]) == set()
    assert role.operands([]) == set()


@pytest.mark.parametrize("between", [" or ", ", possibly ", " 或 ", ", or maybe "])
def test_alternatives(between: str) -> None:
    """Words of choice make both numbers answers."""
    assert role.alternatives(between)
    assert not role.alternatives(" of the ")


def test_conclusions_begin_behind_their_word() -> None:
    """What stands before "so" or "Final answer:" is a premise; "so far" concludes nothing."""
    assert role.conclusion("1 and 2, so 3") > 8
    assert role.conclusion("1\nFinal answer: 3") > 2
    assert role.conclusion("1 so far 3") == 0


def test_the_whole_the_ends_and_the_spread() -> None:
    """ "of the 100", "rose from 10 to 12" and "across 7 chains" stand beside the answer."""
    assert role.out_of(" of the ") and not role.out_of(", for a total of ")
    assert role.from_to("TVL rose from ", " to ") and not role.from_to("between ", " and ")
    assert role.span(" (from ", " to ") and not role.span("(", " to ")
    assert role.among("transfers across ") and not role.among("transfers: ")
    assert role.technical("decimals") and not role.technical("transfers")
