"""The bench of a whole suite, on the small one."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import suite
from caia_replay.errors import CheckFailed


def test_time_and_memory_of_both_commands_are_measured(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path
) -> None:
    """Four rows beside their budgets; memory counts the nodes that are started, which take more than ten megabytes."""
    monkeypatch.setattr(suite, "_RUNS", 1)
    measured = list(suite.rows(str(shipped)))
    assert [row.name for row in measured] == [
        "verify, 6 tasks", "verify, 6 tasks, memory", "replay, 6 tasks x 1 x 2 arms",
        "replay, 6 tasks x 1 x 2 arms, memory",
    ]  # fmt: skip
    assert [row.floor for row in measured] == [60, 600, 90, 600] and all(row.limit == 1 for row in measured)
    assert all(row.value > 0 for row in measured) and all(row.value > 30 for row in measured if row.unit == "MB")


def test_a_command_that_fails_is_no_figure() -> None:
    """Its last words are told."""
    with pytest.raises(CheckFailed, match=r"verify ended with 2: .*no suite 'nowhere'"):
        suite._run(["verify", "--suite", "nowhere"])
