"""Tiny pytest projects of a fork's user, run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import WorldFolder, open_world

PROJECT = Path(__file__).resolve().parents[3]
HEADER = """
import os, time
from pathlib import Path
import pytest
from caia_replay.errors import BadInput, Miss, ToolError

MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
HOLDER = "0x8ec2894193029aac8406d421066b29b13177754f"
FRIEND = "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
STRANGER = "0x" + "ab" * 20
HERE = Path(__file__).parent

def transfer(to, amount):
    return "0xa9059cbb" + to[2:].zfill(64) + f"{amount:064x}"

def balance(fork, holder):
    return int(fork.call({"to": MARE, "data": "0x70a08231" + holder[2:].zfill(64)}), 16)
"""


@pytest.fixture
def run_project(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Write one test module into a project in tmp_path and run pytest there with more arguments.

    ``snapshots`` is what ``fork_snapshots`` says in its pytest.ini; empty leaves it out.
    """
    (tmp_path / "project").mkdir()

    def run(source: str, *arguments: str, snapshots: str | None = None) -> subprocess.CompletedProcess[str]:
        project = tmp_path / "project"
        named = str(PROJECT / "chain_snapshots") if snapshots is None else snapshots
        option = f"fork_snapshots = {named}\n" if named else ""
        (project / "pytest.ini").write_text(f"[pytest]\naddopts = --strict-markers\n{option}")
        (project / "test_it.py").write_text(HEADER + source)
        call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *arguments, str(project)]
        # Started in the project, Anvil is found beside the package; what pytest tells its workers stays out.
        env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")} | {"COLUMNS": "250"}
        return subprocess.run(call, cwd=project, env=env, capture_output=True, text=True, timeout=600)

    return run


@pytest.fixture(scope="session")
def folder(shipped: Path) -> WorldFolder:
    return open_world(str(shipped))


@pytest.fixture(scope="session")
def react(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunPlan]:
    """What our own agent did with the credulous policy, one run of each task in both arms."""
    plan = make_plan(folder, runs=1, model="policy/credulous")
    out = tmp_path_factory.mktemp("react") / "run"
    replay(plan, folder, out, workers=1, resume=False, replace=False)
    return out, plan
