"""The whole suite as users run it: verify, and every task five times in both arms, beside the budgets of the design.

The floor of a row is its budget, so a ratio of 1 uses it up. Both are commands of their own; their memory is what they
and everything they started take together (PSS, so that shared pages count once), looked at ten times a second.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.row import Row, pss_mb
from caia_replay.errors import CheckFailed
from caia_replay.store.world_folder import open_world

_REPLAY_S, _MEMORY_MB = 90.0, 600.0
_VERIFY_S = 60.0
"""No figure of the design: what one waits for before a first run."""
_RUNS = 5
_EVERY_S = 0.1


def rows(suite: str) -> Iterator[Row]:
    """Seconds and megabytes of ``verify`` and of ``replay`` with the default policy in the clean and attacked arm."""
    path = str(open_world(suite).path.resolve())
    count = len(open_world(suite).suite.active())
    spent, memory = _run(["verify", "--suite", path])
    yield Row(f"verify, {count} tasks", spent, "s", _VERIFY_S, 1.0)
    yield Row(f"verify, {count} tasks, memory", memory, "MB", _MEMORY_MB, 1.0)
    with tempfile.TemporaryDirectory() as place:
        arguments = ["--suite", path, "--model", "policy/credulous", "--arm", "clean,attacked", "--runs", str(_RUNS)]
        spent, memory = _run(["replay", *arguments, "--out", str(Path(place) / "run")])
    yield Row(f"replay, {count} tasks x {_RUNS} x 2 arms", spent, "s", _REPLAY_S, 1.0)
    yield Row(f"replay, {count} tasks x {_RUNS} x 2 arms, memory", memory, "MB", _MEMORY_MB, 1.0)


def _run(arguments: Sequence[str]) -> tuple[float, float]:
    """How long a command took, and the most that it and its children held. Raises ``CheckFailed`` where it fails."""
    begin, most = time.perf_counter(), 0.0
    command = [str(Path(sys.executable).with_name("caia-replay")), *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, pss_mb(_family(process.pid)))
            time.sleep(_EVERY_S)
        spent = time.perf_counter() - begin
        said = process.stderr.read() if process.stderr else ""
    if process.returncode != 0:
        raise CheckFailed(f"{arguments[0]} ended with {process.returncode}: {said.strip()[-300:]}")
    return spent, most


def _family(pid: int) -> list[int]:
    """A process and all that descends from it; one that has ended meanwhile has no children."""
    found = [pid]
    for one in found:
        for listed in Path("/proc", str(one), "task").glob("*/children"):
            with suppress(OSError):
                found += map(int, listed.read_text().split())
    return found
