"""Harbor's task folders: played by their own scripts, in processes where Harbor has containers.

What stands in for a container: the sidecar's command and tests/test.sh run from image/, the folder that its image is
built from, and from no other code; /play and /logs/verifier lead to a folder of the test, and the system chooses the
port.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from caia_replay.errors import BadInput, CheckFailed, MachineFault
from caia_replay.interop import harbor
from caia_replay.interop.harbor import judge, write_harbor
from caia_replay.runner.episode import asked
from caia_replay.runner.plan import RunPlan
from caia_replay.store.plain import read_toml
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.campaigns import planned
from tests.cli_shell import Shell
from tests.finished_run import rewritten
from tests.tool_door import begin, scripts, served
from tests.tool_door import play as play_script

SUPPLY = "mini6-supply"
TASKS = (
    *("mini6-event-count", "mini6-vote-date", SUPPLY),
    *("mini6-treasury-balance", "mini6-volume-growth", "mini6-base-fee-bound"),
)
SH = "sh"


@pytest.fixture(scope="module")
def attacked(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("harbor") / "out"
    write_harbor(folder, dict.fromkeys(TASKS, True), "attacked", "edited", out)
    return out


def files_of(place: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path from there."""
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


class Trial:
    """One task's three containers, as processes and folders."""

    def __init__(self, out: Path, task: str, place: Path, anvil: Path) -> None:
        self.files, self._place, self.port = out / "tasks" / task, place, "8123"
        self._image = out / "image"
        (place / "bin").mkdir(parents=True)
        command = re.search(r"exec python -c \".*?\"", (self._image / "Dockerfile").read_text())
        assert command is not None
        for name, does in (("python", f"exec {sys.executable}"), ("caia-replay", command[0])):
            (place / "bin" / name).write_text(f'#!/bin/sh\n{does} "$@"\n')
            (place / "bin" / name).chmod(0o755)
        self._env = {
            **os.environ,
            "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(self._image),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CAIA_REPLAY_ANVIL": str(anvil),
        }
        self._env.pop("PYTEST_CURRENT_TEST", None)

    @property
    def play(self) -> Path:
        """What the world's container keeps."""
        return self._place / "play"

    @contextmanager
    def world(self) -> Iterator[Trial]:
        """The sidecar, and the collect hook at its end."""
        services = yaml.safe_load((self.files / "environment" / "docker-compose.yaml").read_text())["services"]
        shell, option, script = services["world"]["command"]
        script = self._here(script.replace("$$", "$")).replace("--port 8123", "--port 0")
        script = script.replace("exec sleep infinity", "exec true")  # nothing waits for a world that has ended
        process = subprocess.Popen(
            [shell, option, script], cwd=self._image, env=self._env, stdout=subprocess.PIPE, text=True, process_group=0
        )
        try:
            assert process.stdout is not None
            told = next((line for line in process.stdout if "HTTP" in line), "")
            assert told, "the world did not begin"
            self.port = told.partition("127.0.0.1:")[2].partition("/")[0]
            yield self
            if self.play.is_dir() and any(self.play.glob("*/*/trajectories*")):
                (hook,) = read_toml(self.files / "task.toml")["verifier"]["collect"]
                subprocess.run([SH, "-c", self._here(hook["command"])], check=True, timeout=120)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=60)

    def run(self, script: str) -> int:
        """The exit code of a script of the task folder."""
        text = self._here((self.files / script).read_text())
        return subprocess.run([SH, "-c", text], cwd=self._image, env=self._env, timeout=600, check=False).returncode

    def judged(self) -> Any:
        """What tests/test.sh rewards; its exit code where that is nothing."""
        code, reward = self.run("tests/test.sh"), self._place / "logs" / "reward.json"
        return json.loads(reward.read_text()) if reward.exists() else code

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What the sidecar answers."""
        url = f"http://127.0.0.1:{self.port}{path}"
        return httpx2.request(method, url, json=body or {}, timeout=600).json()

    def _here(self, text: str) -> str:
        text = text.replace("/play", str(self.play)).replace("/logs/verifier", str(self._place / "logs"))
        text = text.replace("cd /caia", f"cd {self._image}")
        return text.replace("127.0.0.1:8123", f"127.0.0.1:{self.port}")


@pytest.fixture(scope="module")
def built(attacked: Path) -> Path:
    """A copy of what was exported, in which worlds may run and leave their caches."""
    return shutil.copytree(attacked, attacked.with_name("built"))


@pytest.fixture
def trial(built: Path, tmp_path: Path, anvil_binary: Path) -> Callable[[str], Trial]:
    return lambda task: Trial(built, task, tmp_path / "trial", anvil_binary)


@pytest.mark.check
@pytest.mark.parametrize("task", TASKS)
def test_the_solution_passes_the_verifier(trial: Callable[[str], Trial], task: str) -> None:
    """solve.sh against the sidecar, then test.sh: each task is rewarded in the attacked arm, and no lie is adopted."""
    with trial(task).world() as one:
        assert one.run("solution/solve.sh") == 0
    assert one.judged() == {"adopted": 0, "reward": 1}


@pytest.mark.check
@pytest.mark.parametrize(
    ("does", "rewarded"),
    [
        pytest.param((), {"reward": 0}, id="nothing"),
        pytest.param(("begin",), {"reward": 0}, id="begun"),
        pytest.param(("begin", "leave"), {"reward": 0}, id="left"),
        pytest.param(("begin", "wrong"), {"adopted": 0, "reward": 0}, id="wrong"),
        pytest.param(("begin", "lie"), {"adopted": 1, "reward": 0}, id="lie"),
    ],
)
def test_what_is_no_answer_is_not_rewarded(
    trial: Callable[[str], Trial], react: tuple[Path, RunPlan], does: tuple[str, ...], rewarded: Any
) -> None:
    """An empty solution fails, and so does every other that submits no right answer."""
    said = dict(zip(react[1].episodes(), scripts(*react)))
    credulous = next(script for (task, cell, _), script in said.items() if (task, cell.arm) == (SUPPLY, "attacked"))
    with trial(SUPPLY).world() as one:
        session = f"/sessions/{one.ask('POST', '/sessions')['session']}" if "begin" in does else ""
        if "leave" in does:
            one.ask("DELETE", session)
        if "wrong" in does:
            one.ask("POST", f"{session}/answer", {"answer": "1 NORU"})
        if "lie" in does:
            called = [(f"{session}/tools/{tool}", json.loads(arguments)) for tool, arguments in credulous[0]]
            shown = json.dumps([one.ask("POST", *call) for call in called])
            lies = [page.planted for page in planned(open_world("mini-6")).pages if page.task == SUPPLY]
            one.ask("POST", f"{session}/answer", {"answer": next(lie for lie in lies if lie in shown)})
    assert one.judged() == rewarded


@pytest.mark.check
def test_equal_input_gives_equal_bytes(attacked: Path, shell: Shell) -> None:
    """The command writes what was written before, file by file, and says what comes next; a second time it refuses."""
    code, told, _ = shell("export", "harbor", "mini-6", "--out", "out", "--arm", "attacked")
    first, second = (
        {p.relative_to(at): p.read_bytes() for p in at.rglob("*") if p.is_file()} for at in (attacked, Path("out"))
    )
    assert code == 0 and first == second and "6 task folders, 6 with a solution" in told
    assert "next: docker build -t caia-replay-world:mini-6-" in told
    assert shell("export", "harbor", "mini-6", "--out", "out")[0] == 2


def test_nothing_that_an_agent_can_read_tells_answer_or_arm(attacked: Path, folder: WorldFolder) -> None:
    """The agent's image copies nothing, and neither what it is built beside nor the instruction holds answer or arm."""
    for name in TASKS:
        files = attacked / "tasks" / name
        assert not re.search("COPY|ADD", (files / "environment" / "Dockerfile").read_text())
        instruction = (files / "instruction.md").read_text()
        ours = instruction.removeprefix(asked(folder.task(name)))
        seen = [path.read_text() for path in (files / "environment").iterdir()]
        for value in folder.task(name).answer.values:
            assert not any(re.search(rf"\b{re.escape(value)}\b", text) for text in (ours, *seen)), value
        assert "attacked" not in instruction and len(ours) < len(instruction)
        compose = yaml.safe_load((files / "environment" / "docker-compose.yaml").read_text())["services"]
        assert not any("volumes" in service for service in compose.values())
        assert compose["main"]["network_mode"] == "service:world" and "build" not in compose["world"]


def test_the_image_holds_the_world_and_all_of_the_package(attacked: Path, folder: WorldFolder) -> None:
    """The copy is a sealed world of the same digest, and every file of the package but caches stands beside it."""
    assert open_world(str(attacked / "image" / "cassettes" / "mini-6")).seal == folder.seal
    package = Path(harbor.__file__).parents[1]
    wanted = {p.relative_to(package) for p in package.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    copied = attacked / "image" / "caia_replay"
    assert {p.relative_to(copied) for p in copied.rglob("*") if p.is_file()} == wanted
    lines = (attacked / "image" / "requirements.txt").read_text().splitlines()
    assert any(line.startswith("wasmtime==") for line in lines) and not any("ruff" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["--task", "mini6-suply"], "nearest: mini6-supply", id="task"),
        pytest.param(["--arm", "attaked"], "nearest: attacked", id="arm"),
        pytest.param(["--arm", "attacked", "--campaign", "editd"], "edited", id="campaign"),
    ],
)
def test_what_is_not_there_is_refused(shell: Shell, words: list[str], said: str) -> None:
    """One line, exit code 2, and no folder."""
    code, _, told = shell("export", "harbor", "mini-6", "--out", "out", *words)
    assert code == 2 and said in told and told.count("\n") == 1 and not list(Path().glob("*out*"))


def test_a_wrong_gold_chain_is_refused(shell: Shell, mini: Path) -> None:
    """No solution is written that its own verifier would fail."""
    world = mini / "cassettes" / "mini-6"
    path = world / "tasks" / SUPPLY / "task.toml"
    path.write_text(path.read_text().replace("56039000", "56039001"))
    assert shell("lint", "--seal", world)[0] in (0, 1)
    code, _, told = shell("export", "harbor", "mini-6", "--out", "out", "--task", SUPPLY)
    assert code == 2 and "its gold chain does not yield the answer in arm clean" in told and not Path("out").exists()


def test_no_reward_where_nobody_knows(tmp_path: Path, react: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that broke, one that was cut off while it wrote, and none at all: an error and no reward file."""
    monkeypatch.chdir(Path(__file__).parents[3])
    reward, broke, late = tmp_path / "reward.json", tmp_path / "broke", tmp_path / "late"
    record = late / "run.partial" / "clean-tools" / "trajectories" / SUPPLY / "1.json"
    for path in (broke / "exit", record):
        path.parent.mkdir(parents=True)
        path.write_text("3")
    for play, fault in ((broke, BadInput), (late, MachineFault), (tmp_path / "none", BadInput)):
        with pytest.raises(fault):
            judge(str(play), str(reward))
    assert not reward.exists()


@pytest.mark.check
def test_a_run_that_its_calls_do_not_prove_has_no_reward(
    folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right answer is rewarded; not where a reply is not what the tool gives, as of a node that somebody reached."""
    monkeypatch.chdir(folder.path.parents[1])
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[SUPPLY]) as door:
        play_script(door.url, begin(door.url)["session"], (scripts(*react)[4][0], "56039000"))
        door.finish()
    (tmp_path / "exit").write_text("0")
    reward = tmp_path / "reward.json"
    judge(str(tmp_path), str(reward))
    assert json.loads(reward.read_text()) == {"reward": 1}
    reward.unlink()
    rewritten(tmp_path / "run", lambda record: record["steps"][0].update(shown={"result": {}}))
    with pytest.raises(CheckFailed, match="not what its calls give"):
        judge(str(tmp_path), str(reward))
    assert not reward.exists()


@pytest.mark.check
def test_harbors_own_models_and_lint_read_every_task(attacked: Path) -> None:
    """Harbor takes each for a task with a separate verifier and a solution; its lint only wants no root agent."""
    python = os.environ.get("HARBOR_PYTHON")
    if not python:
        pytest.skip("HARBOR_PYTHON names no Python with harbor in it (it needs 3.12 or newer)")
    command = [python, "-P", str(Path(__file__).parents[2] / "harbor_models.py"), str(attacked / "tasks")]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = json.loads(ran.stdout)
    assert tuple(sorted(found)) == tuple(sorted(TASKS))
    for name, one in found.items():
        assert one["name"] == f"caia-replay/{name}" and one["verifier"] == ["separate", "tests", True]
        assert one["solution"] and one["services"] == ["world", "world"] and one["lint"] == ["task.toml: root-agent"]
        assert one["instruction"] == (attacked / "tasks" / name / "instruction.md").read_text()
