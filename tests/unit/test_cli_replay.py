"""The commands that play runs and compare them."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import WallLimit
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld
from tests.cli_shell import Shell


def test_replay_leaves_a_run_folder_and_a_table(shell: Shell, task: str) -> None:
    """Without --out the default folder is used, and replaced when it is there already."""
    for _ in range(2):
        code, out, err = shell("replay", "--task", task, "--runs", "1")
        assert (code, err) == (0, "")
        assert "calibration policy, not a model result" in out
    assert sorted(path.name for path in Path("runs").iterdir()) == ["policy-credulous"]


@pytest.mark.check
def test_a_stop_is_one_line_with_the_command_that_goes_on(mini: Path) -> None:
    """SIGTERM is Ctrl-C: exit code 3, and the printed command plus what was kept gives the run it would have been."""
    command = [str(Path(sys.executable).with_name("caia-replay")), "replay", "--runs", "300", "--out", "cut"]
    running = subprocess.Popen(command, cwd=mini, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not list(mini.glob("cut.partial/*/trajectories/*/*.json")):
        time.sleep(0.05)
    running.terminate()
    said = running.communicate(timeout=600)[1]
    assert (running.returncode, said.count("\n")) == (3, 1), said
    assert said.endswith("next: caia-replay replay --runs 300 --out cut --resume\n")
    assert (mini / "cut.partial" / "plan.json").is_file()


def test_an_explicit_out_is_never_replaced(shell: Shell, task: str) -> None:
    """The second replay into the same --out is one line and exit code 2, and the first stays."""
    assert shell("replay", "--task", task, "--runs", "1", "--out", "mine")[0] == 0
    before = {path: path.read_bytes() for path in Path("mine").rglob("*.json")}
    code, _, err = shell("replay", "--task", task, "--runs", "1", "--out", "mine")
    assert (code, err.count("\n")) == (2, 1)
    assert {path: path.read_bytes() for path in Path("mine").rglob("*.json")} == before


def test_two_replays_are_identical_and_a_change_is_named(shell: Shell, task: str) -> None:
    """diff says identical with exit code 0, or the first difference with 1; what disagrees with itself is 2."""
    for name in ("a", "b"):
        assert shell("replay", "--task", task, "--runs", "2", "--out", name)[0] == 0
    assert shell("diff", "a", "b")[:2] == (0, "identical\n")
    path = Path("b/clean-tools/summary.json")
    path.write_text(path.read_text().replace('"calls": 4', '"calls": 5'))
    code, out, err = shell("diff", "a", "b")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "b/clean-tools/summary.json: calls is 5, and its runs give 4" in err
    assert shell("replay", "--task", task, "--runs", "2", "--seed", "3", "--out", "c")[0] == 0
    code, out, err = shell("diff", "a", "c")
    assert (code, err) == (1, "") and "certificate.json: seed: 0 != 3" in out


def test_a_limit_of_real_time_is_told_with_the_next_command(
    shell: Shell, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """replay ends with exit code 3, names what is not certified and how to go on; call says it in one line."""

    def late(toolset: WorldToolset, name: str, arguments: str) -> Any:
        raise WallLimit(name, 20)

    command = ("replay", "--task", task, "--runs", "1", "--arm", "clean")
    with monkeypatch.context() as broken:
        broken.setattr(WorldToolset, "call", late)
        code, out, err = shell(*command)
        assert (code, err.count("\n")) == (3, 1)
        assert "not certified: clean, tools; this machine stopped 1 of 1 run" in err and "--resume" in err
        assert "1 wall_limit of 1 run" in out
        assert shell("call", "block_query", "{}", "--task", task) == (
            3,
            "",
            "block_query took longer than 20 s; next: mend this machine, then the same command again\n",
        )
    code, out, err = shell(*command, "--resume")
    assert (code, err) == (0, "")
    code, out, err = shell(*command, "--resume")
    assert (code, "nothing to resume" in err) == (2, True)


def test_replay_alone_refuses_other_machines(shell: Shell, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that asks for another machine ends its run unscored and is named; after the command nothing is guarded."""
    monkeypatch.setattr(FrozenWorld, "pool", property(lambda world: socket.getaddrinfo("x.example", 443)))
    code, out, _ = shell("replay", "--task", task, "--runs", "1", "--model", "policy/oracle", "--out", "run")
    assert code == 1
    assert "'x.example' is refused while replaying; asked by " in out
    sys.audit("socket.getaddrinfo", "x.example", 443, 0, 0, 0)


def test_agents_that_differ_are_exit_code_1(shell: Shell) -> None:
    """Two turns are enough to call and to answer, but not to plan, call and answer: the task is named."""
    task = "mini6-supply"
    for agent in ("react", "plan-execute"):
        command = ("replay", "--model", "policy/oracle", "--task", task, "--runs", "1", "--arm", "clean")
        assert shell(*command, "--max-turns", "2", "--agent", agent, "--out", agent)[0] == 0
    code, out, err = shell("diff", "--agents", "react", "plan-execute")
    assert (code, err, out.splitlines()[-1]) == (1, "", f"1 of 1 tasks differ; first: {task} in clean-tools")


@pytest.mark.check
def test_arms_and_conditions_may_be_repeated(shell: Shell, task: str) -> None:
    """As with commas: none is lost."""
    command = ("replay", "--model", "policy/oracle", "--task", task, "--runs", "1", "--out", "both")
    assert shell(*command, "--arm", "clean", "--arm", "attacked,placebo", "--condition", "tools")[0] == 0
    assert {path.name for path in Path("both").glob("*-tools")} == {"clean-tools", "attacked-tools", "placebo-tools"}
