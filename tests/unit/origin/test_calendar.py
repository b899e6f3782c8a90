"""Calendars: every block in its day, strictly later than the one before."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.calendar import DAY_S, OPENING, draw_calendar


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 20))
def test_every_block_is_in_its_day(seed: int, days: int, per_day: int) -> None:
    """Times rise strictly; each day has its blocks; heights and moments lead back to each other."""
    calendar = draw_calendar("main", seed, days, per_day)
    assert calendar.last_block == OPENING + days * per_day
    assert all(one < other for one, other in pairwise(calendar.times))
    assert calendar.times[0] == calendar.midnight(0)
    for day in range(days):
        blocks = calendar.blocks_of(day)
        assert len(blocks) == per_day + (day == 0) * (1 + OPENING)
        assert {calendar.day_of(block) for block in blocks} == {day}
    for block in range(calendar.last_block + 1):
        assert calendar.at(calendar.times[block]) == block
    assert calendar.at(calendar.times[-1] + DAY_S) == calendar.last_block


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, OPENING), st.integers(0, OPENING))
def test_blocks_that_are_never_made_are_no_blocks(seed: int, first: int, count: int) -> None:
    """Those after them move up, at the times they had."""
    calendar = draw_calendar("main", seed, 3, 5)
    fewer = calendar.without(range(first, min(first + count, OPENING + 1)))
    gone = set(calendar.times) - set(fewer.times)
    assert len(gone) == calendar.last_block - fewer.last_block == min(count, OPENING + 1 - first)
    assert fewer.times[-15:] == calendar.times[-15:]


def test_chains_of_a_world_share_days_and_nothing_else() -> None:
    """Both begin at the same midnight, and each has block times of its own."""
    main, rollup = draw_calendar("main", 1, 20, 8), draw_calendar("rollup", 1, 20, 8)
    assert main.times[0] == rollup.times[0] and main.times[1:] != rollup.times[1:]
    assert main == draw_calendar("main", 1, 20, 8) != draw_calendar("main", 2, 20, 8)
    with pytest.raises(ValueError, match="before the genesis"):
        main.at(0)
