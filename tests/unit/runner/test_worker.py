import json
import subprocess
import sys
from pathlib import Path

from caia_replay.runner.plan import make_plan
from caia_replay.runner.worker import ORPHANED
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world

COMMAND = [sys.executable, "-m", "caia_replay.runner.worker"]


def order(world: Path, out: Path, runs: int, model: str = "policy/oracle") -> str:
    folder = open_world(str(world))
    plan = make_plan(
        folder,
        tasks=folder.suite.active()[:1],
        arms=("clean",),
        model=model,
        runs=runs,
    )
    return json.dumps({"plan": plan.plain(), "out": str(out)}) + "\n"


def test_a_worker_prints_a_dot_a_run_and_ends_clean(shipped: Path, tmp_path: Path) -> None:
    """Every run is in the journal and on stdout; nothing is on stderr."""
    worker = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    worker.stdin.write(order(shipped, tmp_path / "run", 3))
    worker.stdin.flush()
    assert worker.stdout.read() == "..."
    assert worker.stderr.read() == ""
    assert worker.wait() == 0
    worker.stdin.close()
    assert len(list(Journal(tmp_path / "run").path.glob("*/trajectories/*/*.json"))) == 3


def test_a_worker_ends_with_its_parent(shipped: Path, tmp_path: Path) -> None:
    """When stdin closes before the shard is done the worker stops; what is finished stays whole."""
    run = subprocess.run(
        COMMAND, input=order(shipped, tmp_path / "run", 100_000), capture_output=True, text=True, timeout=60
    )
    assert run.returncode == ORPHANED
    for path in Journal(tmp_path / "run").path.glob("*/trajectories/*/*.json"):
        json.loads(path.read_bytes())


def test_a_tool_that_asks_for_another_machine_ends_its_run_as_world_fault(shipped: Path, tmp_path: Path) -> None:
    """The guard stands in a worker: the run is not scored, its cause names host and caller, and the shard goes on."""
    program = (
        "import socket, sys\n"
        "from caia_replay.runner import worker\n"
        "from caia_replay.world.world import FrozenWorld\n"
        "FrozenWorld.pool = property(lambda world: socket.create_connection(('192.0.2.1', 443), 1))\n"
        "sys.exit(worker.main())\n"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
    worker.stdin.write(order(shipped, tmp_path / "run", 2))
    worker.stdin.flush()
    assert (worker.stdout.read(), worker.stderr.read(), worker.wait()) == ("..", "", 0)
    worker.stdin.close()
    for stream in (worker.stdout, worker.stderr):
        stream.close()
    records = [json.loads(path.read_bytes()) for path in (tmp_path / "run.partial").glob("*/trajectories/*/*.json")]
    assert [record["stop"] for record in records] == ["world_fault"] * 2
    assert all("a connection to" in record["detail"] or "looking up" in record["detail"] for record in records)
    assert all("'192.0.2.1' is refused while replaying; asked by" in record["detail"] for record in records)
    assert all(record["score"]["correct"] is None for record in records)
