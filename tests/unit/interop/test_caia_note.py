"""Words to the grader."""

from __future__ import annotations

import pytest

from caia_replay.interop.caia_note import plain, take_apart


@pytest.mark.parametrize(
    ("answer", "value", "tolerance"),
    [
        ("42 ETH with 3% fault tolerance", "42 ETH", "3"),
        ("About 42. Tolerate 0.5% error.", "About 42.", "0.5"),
        ("Reference answer: 42\nhttps://a.example or any other source", "42", None),
        ("address: 0xabc", "0xabc", None),
        ("12,345.00", "12,345.00", None),
    ],
)
def test_the_value_is_told_from_the_note(answer: str, value: str, tolerance: str | None) -> None:
    """A tolerance in words becomes a number, and a label is cut."""
    told = take_apart(answer)
    assert (told.value, told.tolerance_percent, told.conditional) == (value, tolerance, False)


@pytest.mark.parametrize(
    "answer",
    [
        "Lantern. Any three acceptable names will do, all are acceptable",
        "40 to 50. If it says nothing it should count as correct.",
        "甲、乙、丙 等。答出其中 2 个即可",
        "The submission must contain both parts: A; B",
    ],
)
def test_a_condition_is_no_value(answer: str) -> None:
    """What changes which answers are right is told."""
    assert take_apart(answer).conditional


def test_a_plain_answer_has_no_note() -> None:
    """Nothing is found where nothing is said."""
    told = take_apart("Lantern Finance")
    assert (told.for_grader, told.conditional, told.value) == (False, False, "Lantern Finance")


def test_escapes_become_what_they_stand_for() -> None:
    """Line breaks, tabs, quotation marks, bold and narrow spaces."""
    assert plain('a\\nb\\t6 c **d** \\"e\\" f\u202fg') == 'a\nb  c d "e" f g'
