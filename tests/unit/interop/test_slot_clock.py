"""Which times a block can have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.interop.slot_clock import GENESIS, KNOWN, SLOT_S, bounds, contradiction


@pytest.mark.parametrize(("block", "second"), KNOWN)
def test_a_known_block_has_its_own_time_and_no_other(block: int, second: int) -> None:
    """The references bound themselves to the second."""
    assert bounds(block) == (second, second)
    assert contradiction(block, second) is None
    assert contradiction(block, second + SLOT_S) is not None
    assert contradiction(block, second - SLOT_S) is not None


@given(st.integers(KNOWN[0][0], 40_000_000))
def test_later_blocks_are_later(block: int) -> None:
    """Both bounds grow by a slot at least, and the earliest is never after the latest."""
    low, high = bounds(block) or (1, 0)
    next_low, next_high = bounds(block + 1) or (0, 0)
    assert low <= high and next_low >= low and next_high >= high + SLOT_S


def test_a_time_outside_or_between_slots_is_told() -> None:
    """Half a day early is impossible; a second beside the grid is no slot's."""
    block, second = KNOWN[1][0] + 100_000, KNOWN[1][1] + 1_206_000
    on_grid = second - (second - GENESIS) % SLOT_S
    assert contradiction(block, on_grid) is None
    assert "early" in (contradiction(block, on_grid - 43_200) or "")
    assert "late" in (contradiction(block, on_grid + 432_000) or "")
    assert "no slot" in (contradiction(block, on_grid + 5) or "")


def test_before_the_merge_nothing_is_said() -> None:
    """Blocks of proof of work came at any time."""
    assert bounds(KNOWN[0][0] - 1) is None
    assert contradiction(1, 0) is None
