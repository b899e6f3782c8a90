"""The rows of narrowing, recording and weight, over the shipped economy."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import narrow
from caia_replay.errors import BadInput

PROJECT = Path(__file__).resolve().parents[3]


def test_every_row_is_measured_beside_its_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three kinds of narrowing beside a hit, recording beside asking, the world beside its chains; none is judged."""
    monkeypatch.setattr(narrow, "_ROUNDS", 1)
    monkeypatch.setattr(narrow, "_CALLS", 1)
    monkeypatch.setattr(narrow, "_REQUESTS", 5)
    rows = list(narrow.rows(str(PROJECT / "cassettes" / "synthetic-178")))
    assert [row.unit for row in rows] == ["us", "us", "us", "us", "MB", "MB"]
    assert all(row.value > 0 and row.floor > 0 and row.limit is None for row in rows)
    assert sum("narrowed" in row.name for row in rows) == 3


def test_a_world_without_the_recordings_is_refused(shipped: Path) -> None:
    """A world that has no market has nothing to narrow, which is said and not measured as zero."""
    with pytest.raises(BadInput, match="nothing of"):
        list(narrow.rows(str(shipped)))
