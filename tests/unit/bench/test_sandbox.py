"""The sandbox's rows beside a Python process."""

from __future__ import annotations

import pytest

from caia_replay.bench import sandbox as bench
from caia_replay.errors import CheckFailed
from caia_replay.sandbox.compiled_file import CompiledFolder


def test_the_sandbox_has_its_rows(sandbox: CompiledFolder) -> None:
    """A run's first call, a later one, and work, each in milliseconds beside its floor."""
    rows = list(bench.rows(rounds=1))
    assert [row.unit for row in rows] == ["ms"] * 3
    assert all(row.value > 0 and row.floor > 0 for row in rows)
    assert [row.limit for row in rows] == [None, 1.0, None]


def test_a_sandbox_that_computes_otherwise_is_told(sandbox: CompiledFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speed beside a Python that says something else is no figure."""
    monkeypatch.setattr(bench, "_process", lambda code: "7\n")
    with pytest.raises(CheckFailed, match="where Python says '7"):
        list(bench.rows(rounds=1))
