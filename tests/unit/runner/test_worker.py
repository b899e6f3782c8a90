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
