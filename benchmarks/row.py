"""One measured row, and the clock every group measures with."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from caia_replay.errors import CheckFailed

_EVERY_S = 0.5
"""Looking at the memory of processes takes tens of milliseconds of a core."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure beside its floor; ``ratio`` is value / floor.

    ``limit`` is what the ratio may be at most, or with ``at_least`` (a peer we mean to beat) what it
    must reach. None means that the row is told and not judged.
    """

    name: str
    value: float
    unit: str
    floor: float
    limit: float | None = None
    at_least: bool = False

    @property
    def ratio(self) -> float:
        """How many times its floor the figure is."""
        return self.value / self.floor

    @property
    def ok(self) -> bool:
        """Whether the ratio keeps its limit."""
        if self.limit is None:
            return True
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    def plain(self) -> dict[str, object]:
        """As JSON: name, value, unit, floor, ratio, limit, ok."""
        return {
            "name": self.name,
            "value": round(self.value, 4),
            "unit": self.unit,
            "floor": round(self.floor, 4),
            "ratio": round(self.ratio, 3),
            "limit": self.limit,
            "ok": self.ok,
        }


def side_by_side(subjects: Mapping[str, Callable[[], object]], *, rounds: int, calls: int = 1) -> dict[str, float]:
    """Median microseconds per call of each subject, measured in turns so that all meet the same machine.

    Each round makes ``calls`` calls of every subject in order; the median is over rounds.
    """
    spent: dict[str, list[float]] = {name: [] for name in subjects}
    for subject in subjects.values():
        subject()
    for _ in range(rounds):
        for name, subject in subjects.items():
            begin = time.perf_counter()
            for _ in range(calls):
                subject()
            spent[name].append((time.perf_counter() - begin) / calls * 1e6)
    return {name: median(samples) for name, samples in spent.items()}


def median(samples: Sequence[float]) -> float:
    """The middle of the samples."""
    return statistics.median(samples)


def pss_mb(pids: Iterable[int]) -> float:
    """Megabytes that processes hold together; one that has ended meanwhile holds nothing."""
    total_kb = 0
    for pid in pids:
        with suppress(OSError):
            rollup = Path("/proc", str(pid), "smaps_rollup").read_text()
            total_kb += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total_kb / 1024


def run_command(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> tuple[float, float]:
    """How many seconds a ``caia-replay`` command took, and the megabytes that it and its children held at most.

    Raises ``CheckFailed`` where it fails.
    """
    begin, most = time.perf_counter(), 0.0
    command = [str(Path(sys.executable).with_name("caia-replay")), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environ
    ) as process:
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
