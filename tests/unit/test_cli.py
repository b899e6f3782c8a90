import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cli import main
from caia_replay.errors import WallLimit
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld


class Shell:
    """The command in this process: exit code, stdout and stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        shown = self._capsys.readouterr()
        return int(caught.value.code or 0), shown.out, shown.err


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], mini: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell standing in a copy of the shipped world's root, without any model's key."""
    monkeypatch.chdir(mini)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Shell(capsys)


@pytest.fixture
def task(shipped: Path) -> str:
    """The first task's id."""
    return open_world(str(shipped)).suite.active()[0]


def kept() -> list[Path]:
    """Everything here but the indexes, which are disposable."""
    return sorted(path for path in Path().rglob("*") if ".cache" not in path.parts)


def test_replay_leaves_a_run_folder_and_a_table(shell: Shell, task: str) -> None:
    """Without --out the default folder is used, and replaced when it is there already."""
    for _ in range(2):
        code, out, err = shell("replay", "--task", task, "--runs", "1")
        assert (code, err) == (0, "")
        assert "calibration policy, not a model result" in out
    assert sorted(path.name for path in Path("runs").iterdir()) == ["policy-credulous"]


def test_a_stop_is_one_line_with_the_command_that_goes_on(mini: Path) -> None:
    """SIGTERM is Ctrl-C: exit code 3, and the printed command plus what was kept gives the run it would have been."""
    command = [str(Path(sys.executable).with_name("caia-replay")), "replay", "--runs", "300", "--out", "cut"]
    running = subprocess.Popen(command, cwd=mini, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(mini.glob("cut.partial/*/trajectories/*/*.json")):
        time.sleep(0.05)
    running.terminate()
    said = running.communicate(timeout=60)[1]
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
    """diff says identical with exit code 0, or the first difference with exit code 1."""
    for name in ("a", "b"):
        assert shell("replay", "--task", task, "--runs", "2", "--out", name)[0] == 0
    assert shell("diff", "a", "b")[:2] == (0, "identical\n")
    path = Path("b/clean-tools/summary.json")
    path.write_text(path.read_text().replace('"calls": 4', '"calls": 5'))
    code, out, err = shell("diff", "a", "b")
    assert (code, err) == (1, "")
    assert "clean-tools summary.json: calls: 4 != 5" in out


def test_a_limit_of_real_time_is_told_with_the_command_that_plays_it_again(
    shell: Shell, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """replay ends with exit code 1, names what is not certified and how to go on; call says it in one line."""

    def late(toolset: WorldToolset, name: str, arguments: str) -> Any:
        raise WallLimit(name, 20)

    command = ("replay", "--task", task, "--runs", "1", "--arm", "clean")
    with monkeypatch.context() as broken:
        broken.setattr(WorldToolset, "call", late)
        code, out, err = shell(*command)
        assert (code, err.count("\n")) == (1, 1)
        assert "not certified: clean, tools; 1 of 1 run" in err and "--resume" in err
        assert "1 wall_limit of 1 runs" in out
        assert shell("call", "block_query", "{}", "--task", task) == (1, "", "block_query took longer than 20 s\n")
    code, out, err = shell(*command, "--resume")
    assert (code, err) == (0, "")
    code, out, err = shell(*command, "--resume")
    assert (code, "nothing to resume" in err) == (2, True)


def test_verify_ends_with_the_count(shell: Shell) -> None:
    """The last line is N/N solvable; a task that is not makes exit code 1."""
    code, out, _ = shell("verify", "--suite", "mini-6")
    assert (code, out.splitlines()[-1]) == (0, "6/6 solvable")
    path = sorted(Path("cassettes/mini-6/tasks").glob("*/task.toml"))[0]
    path.write_text(re.sub(r"values = \[.*\]", 'values = ["31415926535"]', path.read_text()))
    assert shell("lint", "--seal", "cassettes/mini-6")[0] == 0
    code, out, _ = shell("verify", "--suite", "mini-6")
    assert (code, out.splitlines()[-1]) == (1, "5/6 solvable")


def test_call_prints_how_it_was_served(shell: Shell, task: str) -> None:
    """A served call prints its class and result, a miss or a wrong call its error, all with exit code 0."""
    code, out, _ = shell("call", "block_query", "{}", "--task", task)
    assert (code, json.loads(out)["served"]) == (0, "FORK")
    for arguments, served in (('{"address": "0x' + "12" * 20 + '"}', "MISS"), ('{"address": "0x12"}', "ERROR")):
        code, out, _ = shell("call", "balance_query", arguments, "--task", task)
        shown: dict[str, Any] = json.loads(out)
        assert (code, shown["served"], list(shown)) == (0, served, ["served", "error"])


def test_call_in_the_attacked_arm_names_what_altered_it(shell: Shell, shipped: Path) -> None:
    """altered_by is printed beside the result, and only for touched calls."""
    planted = open_world(str(shipped)).overlay("seo-heavy").pages[0]
    arguments = json.dumps({"url": planted.page.url})
    code, out, _ = shell("call", "url_fetching", arguments, "--task", planted.task, "--arm", "attacked")
    assert (code, json.loads(out)["altered_by"]) == (0, ["seo-page"])
    code, out, _ = shell("call", "url_fetching", arguments, "--task", planted.task)
    assert (code, json.loads(out)["served"]) == (0, "MISS")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("replay", "--suite", "mini6"), ("no suite 'mini6'", "nearest: mini-6")),
        (("replay", "--model", "policy/oracel"), ("nearest: policy/oracle",)),
        (("replay", "--model", "gpt-5"), ("OPENAI_API_KEY", "policy/oracle")),
        (("replay", "--arm", "placebo"), ("unknown arm 'placebo'",)),
        (("replay", "--agent", "reakt"), ("nearest: react",)),
        (("replay", "--runs", "0"), ("at least one run",)),
        (("replay", "--workers", "0"), ("--workers", "--help")),
        (("replay", "--out", "."), ("no run folder of its own",)),
        (("replay", "--out", "cassettes/mini-6/run"), ("is sealed",)),
        (("replay", "--out", "/dev/null/run"), ("Not a directory",)),
        (("replay", "--runs", "many"), ("many", "--help")),
        (("replay", "--campaign", "seo-havy"), ("nearest: seo-heavy",)),
        (("replay", "--resume", "--out", "fresh"), ("nothing to resume",)),
        (("call", "block_qery", "{}", "--task", "x"), ("nearest: block_query",)),
        (("call", "block_query", "{", "--task", "x"), ("not JSON",)),
        (("call", "block_query", "{}", "--task", "nope"), ("no task 'nope'",)),
        (("diff", "a", "b"), ("not a finished run folder",)),
        (("lint", "nowhere"), ("no world and no chain snapshot",)),
        (("verify", "--suite", "x/../y"), ("no suite",)),
        (("import", "prestate", "nowhere", "--out", "x"), ("nowhere",)),
        (("bench", "htp"), ("nearest: http",)),
        (("repaly",), ("repaly",)),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    shell: Shell, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """Every wrong request names what was wanted and what is near, exits 2 and leaves nothing behind."""
    before = kept()
    code, _, err = shell(*arguments)
    assert (code, err.count("\n")) == (2, 1), err
    assert all(word in err for word in words), err
    assert "Traceback" not in err
    assert kept() == before


def test_import_prestate_builds_a_snapshot_once(shell: Shell, real_data: Path) -> None:
    """The real block becomes a snapshot that lints clean; a second import into it is refused."""
    source = real_data / "mainnet-22244135"
    code, out, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err) == (0, "")
    assert "125" in out
    assert shell("lint", "real")[0] == 0
    code, _, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err.count("\n")) == (2, 1)


def test_help_names_every_command(shell: Shell) -> None:
    """--help lists the commands and exits 0."""
    code, out, _ = shell("--help")
    assert code == 0
    assert all(name in out for name in ("replay", "verify", "call", "diff", "lint", "import", "bench"))


def test_why_miss_explains_a_run_and_refuses_what_is_none(shell: Shell, task: str) -> None:
    """The last line is the total; a folder that is no run is one line and exit code 2."""
    assert shell("replay", "--task", task, "--runs", "1", "--model", "policy/oracle", "--out", "run")[0] == 0
    code, out, err = shell("why-miss", "run")
    assert (code, out.splitlines()[-1], err) == (0, "0 misses, 0 distinct", "")
    code, out, err = shell("why-miss", "cassettes")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "not a finished run folder" in err


def test_replay_refuses_other_machines_and_no_one_else_afterwards(
    shell: Shell, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that asks for another machine ends its run unscored and is named; after the command nothing is guarded."""
    monkeypatch.setattr(FrozenWorld, "pool", property(lambda world: socket.getaddrinfo("x.example", 443)))
    code, out, _ = shell("replay", "--task", task, "--runs", "1", "--model", "policy/oracle", "--out", "run")
    assert code == 1
    assert "'x.example' is refused while replaying; asked by " in out
    sys.audit("socket.getaddrinfo", "x.example", 443, 0, 0, 0)
