from __future__ import annotations

from typing import Any

import pytest

from caia_replay.providers.later_part import by_name, is_later, listed, mapped, moment, named, texts


def test_what_names_something_is_kept() -> None:
    """Texts, whole numbers, nothing and lists of texts; a fraction, a flag and what holds more are left out."""
    row = {"id": 7, "name": "Vela", "note": None, "chains": ["b", "a"], "tvl": 1.5, "dead": True, "more": {"a": 1},
           "odd": ["a", 1], "beside": "x"}  # fmt: skip
    names = ("id", "name", "note", "chains", "tvl", "dead", "more", "odd", "absent")
    assert named(row, names) == {"id": 7, "name": "Vela", "note": None, "chains": ["a", "b"]}


def test_contracts_are_texts() -> None:
    """A network without one keeps its nothing; figures are gone."""
    assert texts({"one": "0xAb", "two": None, "three": 4}) == {"one": "0xAb", "two": None}


def test_rows_have_an_order_that_no_figure_makes() -> None:
    """By name, and by id where names are equal or not told."""
    rows: list[dict[str, Any]] = [{"name": "b", "id": 1}, {"name": "a", "id": 3}, {"name": "a", "id": 2}, {"id": 9}]
    assert by_name(rows) == by_name(reversed(rows)) == [rows[3], rows[2], rows[1], rows[0]]


@pytest.mark.parametrize("value", [None, 1.5, True, "", "1a", "-1", "\u0661", "9" * 40, [1]])
def test_what_is_no_moment_is_refused(value: Any) -> None:
    """Whole numbers and their digits alone are moments."""
    assert (moment(5), moment("1717200000")) == (5, 1_717_200_000)
    with pytest.raises(TypeError):
        moment(value)


def test_a_beginning_is_a_moment_or_says_nothing() -> None:
    """What is no whole number of seconds does not say that something began later."""
    assert is_later(11, 10) and not any(is_later(value, 10) for value in (10, None, "11", 11.5, True))


@pytest.mark.parametrize("value", [None, 1, "a", (1,)])
def test_another_shape_is_refused(value: Any) -> None:
    """A text is no list and no object, and neither is the other."""
    for read in (listed, mapped):
        with pytest.raises(TypeError):
            read(value)
