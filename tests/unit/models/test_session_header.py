"""The headers that name a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import RunKey
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, read_run, run_text


@given(st.builds(RunKey, st.text(), st.text(), st.text(), st.text(), st.integers(0, 10**6)), st.integers(1, 99))
def test_any_run_survives_a_header(key: RunKey, turn: int) -> None:
    """What was written is read, and every header is printable ASCII."""
    text = run_text(key)
    assert text.isascii() and text.isprintable()
    assert read_run({RUN_HEADER: text, TURN_HEADER: str(turn)}) == (key, turn)


@pytest.mark.parametrize("run", ["", "x", "[]", "[1,2]", '["t","a","c","g","many"]', '{"a":1}', "null"])
def test_what_names_no_run_is_none(run: str) -> None:
    """Strangers' headers are data."""
    assert read_run({RUN_HEADER: run, TURN_HEADER: "1"}) is None
    assert read_run({}) is None and read_run({RUN_HEADER: run_text(RunKey("t", "a", "c", "g", 1))}) is None
