"""The whole suite as users run it: verify, and every task five times in both arms, beside the budgets of the design.

The floor of a row is its budget, so a ratio of 1 uses it up. Both are commands of their own; their memory is what they
and everything they started take together (PSS, so that shared pages count once), looked at ten times a second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row, run_command
from caia_replay.store.world_folder import open_world

_REPLAY_S, _MEMORY_MB = 90.0, 600.0
_VERIFY_S = 60.0
"""No figure of the design: what one waits for before a first run."""
_RUNS = 5


def rows(suite: str) -> Iterator[Row]:
    """Seconds and megabytes of ``verify`` and of ``replay`` with the default policy in the clean and attacked arm."""
    path = str(open_world(suite).path.resolve())
    count = len(open_world(suite).suite.active())
    spent, memory = run_command(["verify", "--suite", path])
    yield Row(f"verify, {count} tasks", spent, "s", _VERIFY_S, 1.0)
    yield Row(f"verify, {count} tasks, memory", memory, "MB", _MEMORY_MB, 1.0)
    with tempfile.TemporaryDirectory() as place:
        arguments = ["--suite", path, "--model", "policy/credulous", "--arm", "clean,attacked", "--runs", str(_RUNS)]
        spent, memory = run_command(["replay", *arguments, "--out", str(Path(place) / "run")])
    yield Row(f"replay, {count} tasks x {_RUNS} x 2 arms", spent, "s", _REPLAY_S, 1.0)
    yield Row(f"replay, {count} tasks x {_RUNS} x 2 arms, memory", memory, "MB", _MEMORY_MB, 1.0)
