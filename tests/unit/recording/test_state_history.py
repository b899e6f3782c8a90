"""Values at blocks joined into intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import CheckFailed
from caia_replay.recording.state_history import StateHistory

_VALUES = st.lists(st.integers(0, 2), min_size=1, max_size=30)


@given(values=_VALUES, touched=st.sets(st.integers(1, 29)))
def test_the_intervals_are_the_history(values: list[int], touched: set[int]) -> None:
    """Whatever a key did, the intervals say its value at every block exactly once, from block 0 if ever found."""
    history: StateHistory[str, int] = StateHistory("slot")
    for block in range(1, len(values)):
        if values[block] != values[block - 1] or block in touched:
            history.found("k", block, values[block - 1], "k")
            history.left("k", block, values[block])
    told: dict[int, int] = {}
    for _, first, last, value in history.intervals(len(values) - 1):
        for block in range(first, last + 1):
            assert block not in told
            told[block] = value
    assert told == (dict(enumerate(values)) if "k" in history else {})


def test_a_value_that_nobody_wrote_is_refused() -> None:
    """What is found must be what was left: in between, the chain was edited."""
    history: StateHistory[str, int] = StateHistory("slot")
    history.left("k", 3, 7)
    with pytest.raises(CheckFailed, match="slot k is 7 after block 3 and 8 before block 9"):
        history.found("k", 9, 8, "k")


def test_a_key_first_read_after_a_block_is_unknown_before_it() -> None:
    """Without a finding, nothing is claimed of earlier blocks."""
    history: StateHistory[str, int] = StateHistory("slot")
    history.left("k", 3, 7)
    assert list(history.intervals(5)) == [("k", 3, 5, 7)] and len(history) == 1
