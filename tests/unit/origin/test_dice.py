"""Dice: in range, repeatable, and what they draw."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.dice import Dice


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20), st.integers(-(10**6), 10**6), st.integers(0, 10**6))
def test_dice_stay_in_range_and_repeat(name: str, low: int, span: int) -> None:
    """A roll is within its bounds, and equal names roll equal numbers."""
    one, two = Dice(name), Dice(name)
    rolls = [one.number(low, low + span) for _ in range(5)]
    assert rolls == [two.number(low, low + span) for _ in range(5)]
    assert all(low <= roll <= low + span for roll in rolls)


def test_certain_and_impossible_things() -> None:
    """A hundred percent always happens, zero never."""
    dice = Dice("x")
    assert all(dice.happens(100) and not dice.happens(0) for _ in range(50))


def test_an_empty_range_has_no_number() -> None:
    """Nothing lies between 3 and 2, and of no options there is none."""
    for draw in (lambda: Dice("x").number(3, 2), lambda: Dice("x").one([])):
        with pytest.raises(ValueError, match="no number lies"):
            draw()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20), st.lists(st.integers(), unique=True, max_size=12), st.data())
def test_some_are_different_ones(name: str, options: list[int], data: st.DataObject) -> None:
    """As many as asked, all from the options, none twice."""
    count = data.draw(st.integers(0, len(options)))
    drawn = Dice(name).some(options, count)
    assert len(drawn) == len(set(drawn)) == count
    assert set(drawn) <= set(options)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20), st.integers(1, 10**30), st.integers(0, 10**30), st.integers(1, 6))
def test_odd_amounts_end_in_zeros_and_stay_in_range(name: str, low: int, span: int, digits: int) -> None:
    """An amount has few leading digits, or is the lowest allowed."""
    drawn = Dice(name).odd(low, low + span, digits)
    assert low <= drawn <= low + span
    assert drawn == low or len(str(drawn).rstrip("0")) <= digits
