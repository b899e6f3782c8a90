"""What GitHub and Docker would run, as far as it can be run without them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "github-actions").glob("*.yml"))
ACTION = "OWNER/caia_replay@v"


def step_of(workflow: Path) -> dict[str, Any]:
    """The inputs that an example gives our action."""
    (job,) = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    (step,) = [step for step in job["steps"] if step["uses"].startswith(ACTION)]
    given: dict[str, Any] = step["with"]
    return given


def test_the_action_is_a_composite_one() -> None:
    """Every step is an action or a script with a shell, and no input stands inside a script, where it would be code."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["runs"]["using"] == "composite" and action["name"] and action["description"]
    for step in action["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step) and ("run" not in step or step["shell"] == "bash")
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.([a-z0-9-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(action["inputs"])


@pytest.mark.parametrize("workflow", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_gives_only_what_the_action_takes(workflow: Path) -> None:
    """Each example names inputs that the action has, all that it requires, and its version."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    required = {name for name, about in action["inputs"].items() if about.get("required")}
    assert required <= set(step_of(workflow)) <= set(action["inputs"])
    version = re.findall(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[0]
    assert f"{ACTION}{version}\n" in workflow.read_text("utf-8")


@pytest.mark.check
def test_the_command_of_each_example_runs(tmp_path: Path) -> None:
    """In a plain folder with a fork test, by the bash that the action uses; the artifact is there."""
    for part in ("cassettes/mini-6", "chain_snapshots/mini", "model_tapes/smollm2"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.copy(ROOT / "examples" / "web3-pytest-offline" / "pyproject.toml", tmp_path)
    (tmp_path / "test_fork.py").write_text(
        'import pytest\n\n\n@pytest.mark.fork(chain="mini", block=60)\n'
        "def test_block(fork):\n    assert fork.block == 60\n"
    )
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for workflow in EXAMPLES:
        given = step_of(workflow)
        command = ["bash", "-euo", "pipefail", "-c", given["run"]]
        done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": paths}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (tmp_path / given.get("artifact", "test_fork.py")).is_file()


def test_what_the_containers_copy_is_here() -> None:
    """The dev container is JSON and calls a target of the Makefile; what the Dockerfile copies by name exists."""
    target = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))["postCreateCommand"]
    assert re.search(rf"^{target.removeprefix('make ')}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    copied = re.findall(r"^COPY (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert copied and all((ROOT / name).exists() for name in copied)
