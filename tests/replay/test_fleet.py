"""A fleet of live models over loopback: ceilings, kills, stops and endpoints that fail."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from caia_replay.analysis.diff import first_difference
from caia_replay.fleet.matrix import read_fleet
from caia_replay.store.run_folder import read_json
from tests.chat_server import ChatServer, Entry
from tests.cli_shell import Shell

pytestmark = pytest.mark.check
COMMAND = str(Path(sys.executable).with_name("caia-replay"))
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 100}
PRICE = 'price = { prompt = "10", completion = "100" }'
EACH_USD = Decimal("0.02")
"""Of one completion."""
DEADLINE_S = 120.0


class Desk(ChatServer):
    """Asks for a tool in its first turn, and answers in the second; ``gate`` holds the second ones back. ``status`` is
    what it answers with instead."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.status = Event(), 200
        self.gate.set()
        self.completions: Counter[str] = Counter()
        self.second = 0

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> Entry:
        if self.status != 200:
            return self.status, {"error": {"message": "no"}}, {}
        is_second = any(message["role"] == "tool" for message in body["messages"])
        if is_second:
            with self._lock:
                self.second += 1
            self.gate.wait(DEADLINE_S)
        said: dict[str, Any] = {"role": "assistant", "content": "FINAL ANSWER: 56039000"}
        if not is_second:
            function = {"name": "block_query", "arguments": "{}"}
            said = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
        with self._lock:
            self.completions[body["model"]] += 1
        return 200, {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": USAGE}, {}


@pytest.fixture
def desk() -> Iterator[Desk]:
    with closing(Desk()) as server:
        yield server
        server.gate.set()


def written(models: dict[str, str], **fields: Any) -> Path:
    """paper.toml, with a table of each live model."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"suites": ["mini-6"], "runs": 2, **fields}.items()]
    tables = [f'[model."{name}"]\n{table}' for name, table in models.items() if table]
    Path("paper.toml").write_text("\n".join([f"models = {json.dumps(list(models))}", *lines, *tables]))
    return Path("paper.toml")


def table(server: ChatServer, *more: str) -> str:
    return "\n".join([f'base_url = "{server.base_url}"', *more])


def until(holds: Callable[[], bool]) -> None:
    for _ in range(int(DEADLINE_S / 0.05)):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


def begun() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, "fleet", "run", "paper.toml"], stdout=-1, stderr=-1, text=True, start_new_session=True
    )


def folder(name: str) -> Path:
    return Path("runs/paper") / f"{name}-react-mini-6"


def plain(shell: Shell, monkeypatch: pytest.MonkeyPatch, server: ChatServer, name: str) -> Path:
    """The folder of a plain replay of the same model."""
    with monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        options = ("--suite", "mini-6", "--runs", 2, "--out", f"plain-{name}")
        assert shell("replay", "--model", name, *options)[0] == 0
    return Path(f"plain-{name}")


def paid() -> Decimal:
    return sum(
        (Decimal(nano) / 10**9 for nano in re.findall(r"\+(\d+) ", Path("runs/paper/spent.log").read_text())),
        Decimal(0),
    )


def test_one_endpoint_failing_stops_its_models_alone(shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rejected key ends both models behind it; policies and other endpoints end whole, as plain replays do."""
    with closing(Desk()) as shut:
        shut.status = 401
        monkeypatch.setenv("THEIR_KEY", "none-of-theirs")
        theirs = table(shut, 'key_variable = "THEIR_KEY"')
        models = {"good": table(desk), "bad": theirs, "worse": theirs, "policy/oracle": ""}
        written(models)
        code, out, err = shell("fleet", "run", "paper.toml")
    assert (code, "2 refused of 4 entries" in err) == (3, True), err
    assert len(re.findall(r"(?:bad|worse)-react-mini-6 +new +refused", out)) == 2 and "rejected the key" in out
    assert 'paper.toml: key_variable under [model."' in out and "OPENAI_" not in out
    assert first_difference(folder("good"), plain(shell, monkeypatch, desk, "good"), Path.cwd()) is None
    assert folder("policy-oracle").is_dir() and not folder("bad").exists()
    assert "good-react-mini-6: 24 of 24 runs done; right: clean " in shell("fleet", "status", "paper.toml")[1]


def test_the_ceiling_is_of_all_models_and_is_kept(shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than the completions in flight pass it; with a higher one no finished run is paid for again."""
    at_once = 3
    models = {name: table(desk, PRICE, f"concurrency = {at_once}") for name in ("a", "b")}
    written(models, max_usd=0.5)
    code, out, err = shell("fleet", "run", "paper.toml")
    assert (code, "2 stopped of 2 entries" in err) == (3, True), err
    assert "the ceiling of 0.5 USD is reached" in out
    spent = paid()
    assert spent == EACH_USD * sum(desk.completions.values())
    assert Decimal("0.5") <= spent <= Decimal("0.5") + EACH_USD * 2 * at_once
    kept = sum(1 for _ in Path("runs/paper").glob("*.partial/*/trajectories/*/*.json"))
    written(models, max_usd=5)
    code, out, err = shell("fleet", "run", "paper.toml")
    assert (code, sum(map(int, re.findall("goes on: ([0-9]+) of 24 runs are there", out)))) == (0, kept), err
    assert sum(desk.completions.values()) <= 2 * 48 + 2 * at_once and kept >= 1
    assert paid() == EACH_USD * sum(desk.completions.values())
    for name in models:
        assert first_difference(folder(name), plain(shell, monkeypatch, desk, name), Path.cwd()) is None


@pytest.mark.parametrize("who", ["fleet", "child"])
def test_after_kill_9_the_same_command_goes_on(
    shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """What was finished is not asked again, what was paid is counted, and the folders are those of plain replays."""
    at_once = 4
    models = {name: table(desk, PRICE, f"concurrency = {at_once}") for name in ("a", "b")}
    written(models, max_usd=100)
    running = begun()
    until(lambda: len(list(Path("runs/paper").glob("a-*.partial/*/trajectories/*/*.json"))) >= 2)
    desk.gate.clear()
    if who == "fleet":
        running.kill()
        running.communicate(timeout=DEADLINE_S)
    else:
        child = children(running.pid)[0]
        os.kill(child, signal.SIGKILL)
        desk.gate.set()
        _, err = running.communicate(timeout=DEADLINE_S)
        assert (running.returncode, "1 died of 2 entries" in err) == (3, True), err
    desk.gate.set()
    code, _, err = shell("fleet", "run", "paper.toml")
    assert code == 0, err
    total = sum(desk.completions.values())
    assert total <= 2 * 48 + 2 * 2 * at_once  # two completions a run, and those in flight at the kill
    assert EACH_USD * (total - 2 * 2 * at_once) <= paid() <= EACH_USD * total
    for name in models:
        assert first_difference(folder(name), plain(shell, monkeypatch, desk, name), Path.cwd()) is None


def children(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


@pytest.mark.parametrize("how", ["stop", "ctrl-c"])
def test_a_stop_loses_no_completion_that_is_under_way(shell: Shell, desk: Desk, how: str) -> None:
    """Runs that end with it are kept and counted, none is begun after it, and it is told how to go on."""
    written({"a": table(desk, PRICE, "concurrency = 4")})
    desk.gate.clear()
    running = begun()
    until(lambda: desk.second == 4)
    assert shell("fleet", "run", "paper.toml")[2].startswith("runs/paper: this fleet is running")
    assert "runs/paper: running" in shell("fleet", "status", "paper.toml")[1]
    if how == "stop":
        assert shell("fleet", "stop", "paper.toml")[0] == 0
    else:
        running.send_signal(signal.SIGINT)
    assert running.stderr is not None and any(line.startswith("stopping when") for line in running.stderr)
    desk.gate.set()
    _, err = running.communicate(timeout=DEADLINE_S)
    assert (running.returncode, err.strip().splitlines()[-1]) == (
        3,
        "1 stopped of 1 entry; next: see to what the table says, then caia-replay fleet run paper.toml",
    )
    records = list(Path("runs/paper").glob("*.partial/*/trajectories/*/*.json"))
    assert 4 <= len(records) == desk.second < 24 and paid() == EACH_USD * desk.completions["a"]
    assert shell("fleet", "stop", "paper.toml")[2].startswith("runs/paper: no fleet is running")


def test_an_unfinished_entry_is_added_to_when_the_file_changes(shell: Shell, desk: Desk) -> None:
    """What was paid for of an unfinished run is in the new one; what is of no cell of it is kept aside."""
    written({"a": table(desk, PRICE, "concurrency = 2")}, max_usd=0.2, runs=1)
    assert shell("fleet", "run", "paper.toml")[0] == 3
    before = len(list(Path("runs/paper").glob("*.partial/*/trajectories/*/*.json")))
    written({"a": table(desk, PRICE)}, runs=1, arms=["attacked"], tasks=["mini6-base-fee-bound", "mini6-event-count"])
    out = shell("fleet", "plan", "paper.toml")[1]
    assert before >= 2 and re.search(r"added to: [12] of 2 runs are there, of an unfinished run", out), out
    code, _, err = shell("fleet", "run", "paper.toml")
    assert code == 0, err
    aside = list(Path("runs/paper/.aside").glob("*/*/trajectories/*/*.json"))
    assert len(aside) + int(re.findall("added to: ([12])", out)[0]) == before
    assert read_json(folder("a") / "attacked-tools" / "summary.json")["n_tasks"] == 2


def test_the_estimate_is_near_what_then_happens(shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within 25 per cent, from a tape of half the runs: calls, tokens and dollars; the source is named."""
    with monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", desk.base_url)
        recorded = ("--model", "a", "--suite", "mini-6", "--runs", 1, "--record-model", "half", "--out", "half")
        assert shell("replay", *recorded)[0] == 0
    for path in Path("half").rglob("*"):
        if path.is_file():
            path.unlink()  # the tape alone is left
    path = written({"a": table(desk, PRICE), "recorded/half": ""}, runs=2)
    out = shell("fleet", "plan", "paper.toml")[1]
    live, tape = (row.split() for row in out.splitlines() if re.match(r" (?:a|recorded/half) ", row))
    assert "tape half" in out and live[1:4] == ["24", "of", "24"] and tape[0] == "recorded/half"
    assert shell("fleet", "run", "paper.toml")[0] in (0, 3)
    fleet = read_fleet(path, dict(os.environ))
    summaries = [read_json(fleet.entries[0].out / f"{arm}-tools" / "summary.json") for arm in ("clean", "attacked")]
    calls = sum(one["calls"] for one in summaries)
    tokens = sum(one["tokens"]["prompt"] + one["tokens"]["completion"] for one in summaries)
    for told, happened in ((live[4], calls), (live[5], tokens), (live[6], paid())):
        assert 0.75 <= float(told.replace(",", "")) / float(happened) <= 1.25
