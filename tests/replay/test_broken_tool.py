"""The oracle depends on the tools it uses: in a copy of the package with a broken tool it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from caia_replay.store.world_folder import open_world
from tests.trajectories import records

pytestmark = pytest.mark.check
PACKAGE = Path(__file__).parents[2] / "caia_replay"
BREAKS = {
    "refuses": ("contract.py", "    return address_argument(contract)\n", "    raise ToolError('broken')\n"),
    "loses one": ("contract_event.py", "for log in logs\n", "for log in logs[1:]\n"),
    "scales wrongly": ("chain_call.py", "scaleb(Decimal(raw), -decimals)", "scaleb(Decimal(raw), 1 - decimals)"),
}
USES = {"refuses": "data_query", "loses one": "data_query", "scales wrongly": "balance_query"}


@pytest.mark.parametrize("kind", BREAKS)
def test_a_broken_tool_fails_the_oracle_where_it_is_used(
    kind: str, shipped: Path, tmp_path: Path, anvil_binary: Path
) -> None:
    """Tasks whose gold chain does not use the broken tool are solved as before; at least one that does is lost."""
    name, old, new = BREAKS[kind]
    shutil.copytree(PACKAGE, tmp_path / "caia_replay", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "caia_replay" / "tools" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "replay", "--suite", str(shipped)]
    command += ["--model", "policy/oracle", "--arm", "clean", "--runs", "1", "--out", "run"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "CAIA_REPLAY_ANVIL": str(anvil_binary)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    folder = open_world(str(shipped))
    solved = {}
    for record in records(tmp_path / "run" / "clean-tools"):
        solved[record["task"]] = record["score"]["correct"]
    users = {task for task in solved if any(step.tool == USES[kind] for step in folder.task(task).gold.steps)}
    assert all(solved[task] for task in solved.keys() - users)
    assert not all(solved[task] for task in users)
