"""Live runs as users make them: ``replay`` against an endpoint on this machine that takes half a second to answer.

The floor is what the endpoint alone takes: completions x latency / runs in flight. Planning, tools, verdicts and files
are in our time. Memory is what the command and everything it started take together.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.harness import INSPECT, by_inspect
from benchmarks.row import Row, run_command
from caia_replay.errors import CheckFailed
from caia_replay.store.world_folder import open_world

LATENCY_S: Final = 0.5
FLIGHTS: Final = ((100, 5, 600.0), (1_000, 3, 2_000.0))
"""In flight, attempts at each task, megabytes that may be taken."""
TIME_LIMIT: Final = 1.3
_WORKERS: Final = 2


def rows(suite: str) -> Iterator[Row]:
    """Seconds at a hundred in flight beside the floor, and megabytes at a hundred and at a thousand."""
    folder = open_world(suite)
    tasks, suite_path = len(folder.suite.active()), str(folder.path.resolve())
    first = ["--suite", suite_path, "--task", folder.suite.active()[0]]
    run_command(
        ["call", "time_conversion", '{"time": "2024-06-15"}', *first, "--arm", "attacked"]
    )  # plans the campaign
    for in_flight, runs, most_mb in FLIGHTS:
        with tempfile.TemporaryDirectory() as place, slow_endpoint(LATENCY_S) as address:
            command = ["replay", "--suite", suite_path, "--model", "bench", "--runs", str(runs)]
            command += ["--concurrency", str(in_flight), "--workers", str(_WORKERS), "--out", str(Path(place) / "run")]
            spent, memory = run_command(command, {**os.environ, "OPENAI_BASE_URL": f"{address}/v1"})
            told = json.loads(urllib.request.urlopen(address).read())
        if told["most"] > in_flight:
            raise CheckFailed(f"{told['most']} requests were in flight, and {in_flight} were asked for")
        floor, name = (
            told["completions"] * LATENCY_S / in_flight,
            f"{tasks} x {runs} x 2 live runs, {in_flight} in flight",
        )
        is_first = (in_flight, runs, most_mb) == FLIGHTS[0]
        yield Row(name, spent, "s", floor, TIME_LIMIT if is_first else None)
        yield Row(f"{name}, memory", memory, "MB", most_mb, 1.0)
        peer = _inspect_s(tasks * runs * 2, in_flight) if is_first else None
        if peer is not None:
            yield Row("Inspect AI, as many samples at the same endpoint", peer, "s", spent, 1.0, at_least=True)


def _inspect_s(samples: int, in_flight: int) -> float | None:
    with slow_endpoint(LATENCY_S) as address:
        return by_inspect(INSPECT, samples, f"{address}/v1", in_flight)


@contextmanager
def slow_endpoint(latency_s: float) -> Iterator[str]:
    """The address of ``benchmarks.slow_endpoint`` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.slow_endpoint", str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()
