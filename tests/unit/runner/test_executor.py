"""Runs over worker processes: counted once, ended with their parent, guarded; a player for a recorder."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from caia_replay.core.agent import Budget
from caia_replay.errors import BadInput, MachineFault
from caia_replay.recording.pool import LoggedToolset
from caia_replay.recording.task import PoolPlayer
from caia_replay.runner.episode import staged
from caia_replay.runner.executor import execute
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.run_end import RunEnd, read_run_end
from caia_replay.runner.worker import ORPHANED
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.odd_threads import dying


def plan(folder: WorldFolder, model: str = "policy/oracle") -> RunPlan:
    return make_plan(folder, arms=("clean",), model=model, runs=2)


def started(out: Path) -> Journal:
    journal = Journal(out)
    journal.start("p", resume=False, replace=False)
    return journal


@pytest.mark.parametrize(
    "workers", [pytest.param(1, marks=pytest.mark.check), 2, pytest.param(3, marks=pytest.mark.check)]
)
def test_every_run_is_counted_once_over_many_workers(folder: WorldFolder, tmp_path: Path, workers: int) -> None:
    """Each is in the journal, with more workers than tasks too."""
    whole = make_plan(folder, tasks=folder.suite.active()[:2], arms=("clean",), model="policy/oracle", runs=1)
    journal = started(tmp_path / "run")
    told: list[RunEnd] = []
    with staged(whole, folder) as stage:
        execute(stage, journal, workers, told.append)
    journal.release()
    assert len(told) == whole.size and {end.task for end in told} == {*whole.tasks}
    assert all(Journal(tmp_path / "run").has(cell.folder, task, attempt) for task, cell, attempt in whole.episodes())


@pytest.mark.check
def test_bad_input_in_a_worker_is_the_same_one_line(folder: WorldFolder, tmp_path: Path) -> None:
    """What a worker refuses reaches the user as it would without workers."""
    wrong = plan(folder, "policy/oracel")
    with pytest.raises(BadInput) as caught, staged(wrong, folder):
        raise AssertionError("a model of that name was found")
    with staged(plan(folder), folder) as stage:
        with pytest.raises(BadInput) as told:
            execute(replace(stage, plan=wrong), started(tmp_path / "2"), 2, lambda count: None)
        assert str(told.value) == str(caught.value)
        with pytest.raises(BadInput, match="at least one worker"):
            execute(stage, started(tmp_path / "x"), 0, lambda count: None)


@pytest.mark.check
def test_a_listener_that_dies_ends_the_replay(folder: WorldFolder, tmp_path: Path) -> None:
    """Nobody waits for the end of a worker that nobody listens to."""
    with (
        staged(plan(folder), folder) as stage,
        dying("attend"),
        pytest.raises(MachineFault, match="listens to a worker"),
    ):
        execute(stage, started(tmp_path / "run"), 2, lambda end: None)


COMMAND = [sys.executable, "-m", "caia_replay.runner.worker"]


def order(folder: WorldFolder, out: Path, runs: int) -> bytes:
    made = make_plan(folder, tasks=folder.suite.active()[:1], arms=("clean",), model="policy/oracle", runs=runs)
    return pickle.dumps({"plan": made, "out": out, "world": folder.seal.digest}) + pickle.dumps({"clean": NO_OVERLAY})


@contextmanager
def ordering(command: list[str], ordered: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that has its order; with the block its stdin is closed."""
    ours, theirs = socket.socketpair()
    with (
        ours,
        subprocess.Popen(command, stdin=theirs.fileno(), stdout=-1, stderr=-1) as worker,
        TemporaryFile() as lock,
    ):
        theirs.close()
        socket.send_fds(ours, [b"."], [lock.fileno()])
        ours.sendall(ordered)
        yield worker
        ours.close()


def worked(command: list[str], ordered: bytes) -> tuple[str, str, int]:
    """What a worker printed to both streams while its stdin stayed open, and its exit code."""
    with ordering(command, ordered) as worker:
        assert worker.stdout is not None and worker.stderr is not None
        return worker.stdout.read().decode(), worker.stderr.read().decode(), worker.wait()


def test_a_worker_prints_a_line_a_run_and_ends_clean(folder: WorldFolder, tmp_path: Path) -> None:
    """Every run is in the journal and on stdout; nothing is on stderr."""
    out, err, code = worked(COMMAND, order(folder, tmp_path / "run", 3))
    assert [read_run_end(line).correct for line in out.splitlines()] == [True] * 3 and (err, code) == ("", 0)
    assert len(list(Journal(tmp_path / "run").path.glob("*/trajectories/*/*.json"))) == 3


@pytest.mark.check
def test_a_worker_ends_with_its_parent(folder: WorldFolder, tmp_path: Path) -> None:
    """When stdin closes before the shard is done the worker stops; what is finished stays whole."""
    given = order(folder, tmp_path / "run", 100_000)
    with ordering(COMMAND, given) as worker:
        pass
    assert worker.returncode == ORPHANED
    for path in Journal(tmp_path / "run").path.glob("*/trajectories/*/*.json"):
        json.loads(path.read_bytes())


def test_a_tool_that_asks_for_another_machine_ends_its_run_as_world_fault(folder: WorldFolder, tmp_path: Path) -> None:
    """The guard stands in a worker: the run is not scored, its cause names host and caller, and the shard goes on."""
    program = (
        "import socket, sys\n"
        "from caia_replay.runner import worker\n"
        "from caia_replay.world.world import FrozenWorld\n"
        "FrozenWorld.pool = property(lambda world: socket.create_connection(('192.0.2.1', 443), 1))\n"
        "sys.exit(worker.main())\n"
    )
    out, err, code = worked([sys.executable, "-c", program], order(folder, tmp_path / "run", 2))
    assert [read_run_end(line).correct for line in out.splitlines()] == [None] * 2 and (err, code) == ("", 0)
    records = [json.loads(path.read_bytes()) for path in (tmp_path / "run.partial").glob("*/trajectories/*/*.json")]
    assert [record["stop"] for record in records] == ["world_fault"] * 2
    assert all("a connection to" in record["detail"] or "looking up" in record["detail"] for record in records)
    assert all("'192.0.2.1' is refused while replaying; asked by" in record["detail"] for record in records)
    assert all(record["score"]["correct"] is None for record in records)


BUDGET = Budget(20, None, None)


def test_it_plays_the_task_through_the_toolset_it_is_given(world: FrozenWorld) -> None:
    """A player's calls are those of a replay, its name says agent, model and attempt; no key, and nothing is played."""
    task, suite = world.folder.task("mini6-supply"), world.folder.suite
    player = PoolPlayer(task, suite, "policy/oracle", "react", {}, BUDGET, 2)
    with WorldToolset(world.task(task)) as tools:
        logged = LoggedToolset(tools)
        trajectory = player.play(logged)
    player.close()
    assert player.name == "react+policy/oracle#2"
    assert trajectory.answer == "56039000" and [call.tool for call in logged.calls] == ["data_query"]
    for model, agent, said in (("gpt-5", "react", "OPENAI_API_KEY"), ("policy/oracle", "reacts", "nearest: react")):
        with pytest.raises(BadInput, match=said):
            PoolPlayer(task, suite, model, agent, {}, BUDGET, 1)
