"""A replay over a real Dask cluster of processes on this machine: workers are killed, and one joins late."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.diff import first_difference
from caia_replay.errors import BadInput
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.runner.run_end import RunEnd
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.cli_shell import Shell


@pytest.fixture
def folder(mini: Path, monkeypatch: pytest.MonkeyPatch) -> WorldFolder:
    """A copy of the shipped world, the current folder beside it."""
    monkeypatch.chdir(mini)
    return open_world("mini-6")


@contextmanager
def process(program: str, *words: str, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """One process of a cluster, until the block ends."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, "--host", "127.0.0.1", "--no-dashboard"]
    with subprocess.Popen(command, stdout=-3, stderr=-3, env={**os.environ, **environ}) as running:
        try:
            yield running
        finally:
            running.kill()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """A scheduler's address."""
    told = tmp_path / "scheduler.json"
    with process("scheduler", "--port", "0", "--scheduler-file", str(told)) as running:
        while running.poll() is None and not told.is_file():
            time.sleep(0.05)
        yield json.loads(told.read_text("utf-8"))["address"]


def worker(address: str, **environ: str) -> Any:
    """One more worker process of two threads, which joins when it is ready."""
    return process("worker", address, "--no-nanny", "--nthreads", "2", **environ)


def played(plan: RunPlan, folder: WorldFolder, out: str, **how: Any) -> Finished:
    return replay(plan, folder, Path(out), **{"workers": 1, "resume": False, "replace": False, **how})


@pytest.mark.check
def test_killed_workers_and_a_late_one_change_no_certificate(folder: WorldFolder, scheduler: str) -> None:
    """Of three workers two are killed, and the third joins when the first is gone and plays what is left alone."""
    plan = make_plan(folder, model="policy/credulous", runs=10)
    alone = played(plan, folder, "alone")
    ends: list[RunEnd] = []
    with ExitStack() as cluster:
        first, second = (cluster.enter_context(worker(scheduler)) for _ in range(2))

        def watch(end: RunEnd) -> None:
            ends.append(end)
            if len(ends) == 10:
                first.kill()
                cluster.enter_context(worker(scheduler))
            if len(ends) == 40:
                second.kill()

        together = played(plan, folder, "together", cluster=scheduler, watch=watch)
    assert first_difference(alone.out, together.out) is None and len(ends) == plan.size


@pytest.mark.check
def test_what_a_worker_cannot_play_ends_the_replay_in_its_words(
    folder: WorldFolder, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is missing where the run would be played is told with the worker's address, as bad input."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-no-use-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    plan = make_plan(folder, tasks=folder.suite.active()[:1], model="gpt-5", runs=1)
    told = r"^Dask worker tcp://127\.0\.0\.1:\d+: .*OPENAI_API_KEY"
    with worker(scheduler, OPENAI_API_KEY=""), pytest.raises(BadInput, match=told):
        played(plan, folder, "out", cluster=scheduler)


def test_an_address_where_nobody_schedules_is_one_line(shell: Shell, mini: Path) -> None:
    """Exit code 2 and the commands that start a cluster, for a closed port and for what is no address."""
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        code, _, told = shell("replay", "--suite", "mini-6", "--dask", address)
        assert code == 2 and "no Dask scheduler answers" in told and "dask worker" in told and told.count("\n") == 1
