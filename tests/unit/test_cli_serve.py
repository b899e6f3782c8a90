"""The commands that list models, serve a world, publish it, plan a recording and import a block."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.cli.models import models
from caia_replay.models.registry import registered_models
from caia_replay.store.world_folder import open_world
from tests.campaigns import planned
from tests.cli_shell import Shell

SECRET = "sk-0123456789abcdef"


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder to stand in, and an environment without any model's key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for model in registered_models().values():
        monkeypatch.delenv(model.key_variable, raising=False)
    return tmp_path


def shown(*arguments: str) -> str:
    """What the command prints."""
    run = CliRunner().invoke(models, arguments)
    assert run.exit_code == 0, run.output
    return run.output


def test_keys_are_told_apart_and_never_shown(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is set is said to be, in both forms, without a character of it."""
    monkeypatch.setenv("XAI_API_KEY", SECRET)
    text, data = shown(), shown("--json")
    lines = {line.split()[0]: line.split() for line in text.splitlines()[: len(registered_models()) + 1]}
    assert lines["grok-4"][2:4] == ["XAI_API_KEY", "set"] and lines["gpt-5"][2:5] == ["OPENAI_API_KEY", "not", "set"]
    set_for = {row["key_variable"] for row in json.loads(data)["models"] if row["key_set"]}
    assert set_for == {"XAI_API_KEY"}
    assert SECRET not in text + data


ROOT = Path(__file__).parents[2]


def test_a_shipped_suite_can_be_planned() -> None:
    """One line a task that begins with its id and says why; the same as JSON."""
    told = run("record", "--plan", ROOT / "cassettes" / "mini-6")
    assert told.exit_code == 0
    lines = [line for line in told.output.splitlines() if line.startswith("mini6-")]
    assert len(lines) == 6 and all(" recordable: " in line for line in lines)
    assert told.output.splitlines()[-1].startswith("6 of 6 tasks are recorded: mini6-")
    plan = json.loads(run("record", "--plan", ROOT / "cassettes" / "mini-6", "--json").output)
    assert [task["id"] for task in plan["tasks"]] == [line.split()[0] for line in lines]


def test_what_cannot_be_shared_or_planned_is_one_line(tmp_path: Path) -> None:
    """Exit code 2, and what to type instead."""
    for arguments, said in (
        (("record", "--plan", tmp_path), ""),
        (("record", "--plan", tmp_path, "--task", "x"), "--plan and --task are different commands"),
        (("record",), "--task ID"),
        (("record", "--rehydrate", tmp_path), "--out"),
        (("record", "--rehydrate", tmp_path, "--out", tmp_path / "again"), ""),
        (("pool", ROOT / "cassettes" / "mini-6"), "--pool MODEL"),
    ):
        told = run(*arguments)
        assert told.exit_code == 2 and len(told.output.splitlines()) == 1 and said in told.output


def test_import_prestate_builds_a_snapshot_once(shell: Shell, real_data: Path) -> None:
    """The real block becomes a snapshot that lints clean; a second import into it is refused."""
    source = real_data / "mainnet-22244135"
    code, out, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err) == (0, "")
    assert "125" in out
    assert shell("lint", "real")[0] == 0
    code, _, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err.count("\n")) == (2, 1)


def test_the_gateway_serves_until_it_is_stopped_and_tells_what_it_served(mini: Path) -> None:
    """One address is printed; a stop ends it with exit code 0, the counts and each miss with its nearest recording."""
    task = "mini6-supply"
    command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "serve", "gateway", "--task", task]
    command += ["--arm", "attacked", "--campaign", "edited-first"]
    lies = {one.page.url for one in planned(open_world(str(mini / "cassettes" / "mini-6")), "edited-first").pages}
    with subprocess.Popen(command, cwd=mini, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert url is not None
            with httpx2.Client(trust_env=False, timeout=600) as client:
                told = client.get(url[0]).json()
                assert told["task"] == task and "[answer form: " in told["question"] and "attacked" not in str(told)
                asked = {"q": told["question"].splitlines()[0]}
                found = client.post(f"{url[0]}/google.serper.dev/search", json=asked).json()["organic"]
                assert lies & {one["link"] for one in found}
                assert client.get(f"{url[0]}/r.jina.ai/https://nowhere.example/").status_code == 501
            process.terminate()  # as Ctrl-C; but a job in the background may have been started deaf to that
            said, faults = process.communicate(timeout=600)
        finally:
            process.kill()
    assert process.returncode == 0, faults
    assert "served: MISS 1, RANKED 1" in said and "missed: GET https://r.jina.ai/https://nowhere.example/" in said


def test_a_port_that_is_taken_and_a_task_nobody_has_are_bad_input(mini: Path, monkeypatch: object) -> None:
    """One line and exit code 2."""
    monkeypatch.chdir(mini)  # type: ignore[attr-defined]
    task = open_world("mini-6").suite.active()[0]
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = str(held.getsockname()[1])
        taken = CliRunner().invoke(main, ["serve", "gateway", "--task", task, "--port", port])
    unknown = CliRunner().invoke(main, ["serve", "gateway", "--task", f"{task}-not"])
    labelled = CliRunner().invoke(main, ["serve", "gateway", "--task", task, "--arm", "labelled"])
    assert (taken.exit_code, unknown.exit_code, labelled.exit_code) == (2, 2, 2)
    assert f"port {port} cannot be had" in taken.output and task in unknown.output


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_suite_is_published_without_a_body(tmp_path: Path) -> None:
    """And its questions only where they are the publisher's to give."""
    told = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "out")
    assert told.exit_code == 0 and "6 tasks without their words" in told.output
    again = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "out")
    assert again.exit_code == 2 and "nothing is written over" in again.output
    kept = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "kept", "--keep-questions")
    assert kept.exit_code == 0 and "without their words" not in kept.output
