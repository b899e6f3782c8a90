"""The bench of tasks that are carried out, on two of the shipped suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.bench import execution
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.store.world_folder import WorldFolder, open_world

SUITE = Path(__file__).resolve().parents[3] / "cassettes" / "synthetic-execution"


@pytest.fixture
def two_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite's first two tasks, and one round."""
    real = open_world

    def opened(name: str) -> WorldFolder:
        folder = real(name)
        active = folder.suite.active()[:2]
        monkeypatch.setattr(type(folder.suite), "active", lambda suite: active)
        return folder

    monkeypatch.setattr(execution, "open_world", opened)
    monkeypatch.setattr(execution, "_ROUNDS", 1)


def test_runs_and_gradings_are_measured(two_tasks: None, anvil_binary: Path) -> None:
    """A row of tasks a minute, which is told, and one of a fresh fork beside a checkpoint, which has a limit."""
    runs, grading = execution.rows(str(SUITE))
    assert (runs.unit, runs.limit, grading.unit, grading.limit) == ("tasks/min", None, "ms", execution.GRADING_LIMIT)
    assert 0 < runs.value < runs.floor and 0 < grading.floor < grading.value


def test_verdicts_that_differ_are_no_figure(
    two_tasks: None, anvil_binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint that grades something else is not what is measured."""
    real = execution.Checkpoint.grade

    def nothing(self: execution.Checkpoint, sent: Any) -> Any:
        return real(self, ())

    monkeypatch.setattr(execution.Checkpoint, "grade", nothing)
    with pytest.raises(CheckFailed, match="True on a fresh fork, False on a checkpoint"):
        list(execution.rows(str(SUITE)))


def test_a_suite_of_questions_is_refused(shipped: Path) -> None:
    """Nothing of it is carried out."""
    with pytest.raises(BadInput, match="nearest: synthetic-execution"):
        list(execution.rows(str(shipped)))
