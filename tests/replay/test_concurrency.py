"""Live runs in flight together: the same certificates as one after the other, whatever the endpoint does."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.diff import first_difference
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.live_draft import Reply, answering

CALLS = (
    ("time_conversion", '{"time": "now"}'),
    ("block_query", "{}"),
    ("web_search", '{"query": "base fee"}'),
    ("code_execution", '{"code": "print(6 * 7)"}'),
)


@pytest.fixture
def folder(mini: Path, monkeypatch: pytest.MonkeyPatch) -> WorldFolder:
    """A copy of the shipped world, the current folder beside it."""
    monkeypatch.chdir(mini)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-no-use-0123456789")
    return open_world("mini-6")


class Endpoint:
    """Calls a tool a turn, then answers; what it says follows from what it is asked. ``refuses`` says which of the
    requests, by number, get which status instead; the first ``gathers`` are answered when they are all there."""

    def __init__(self, refuses: Callable[[int], int] = lambda number: 200, gathers: int = 1) -> None:
        self.answered: Counter[bytes] = Counter()
        self.most = self.now = self.asked = 0
        self._refuses, self._lock = refuses, threading.Lock()
        self._gathered, self._gathers = threading.Barrier(gathers, timeout=600), gathers

    def answer(self, asked: BaseHTTPRequestHandler, content: bytes) -> Reply:
        with self._lock:
            self.asked += 1
            self.now += 1
            self.most = max(self.most, self.now)
            status, gathers = self._refuses(self.asked), self.asked <= self._gathers
        try:
            if gathers:
                self._gathered.wait()
            return self._reply(status, content)
        finally:
            with self._lock:
                self.now -= 1

    def _reply(self, status: int, content: bytes) -> Reply:
        headers = [("content-type", "application/json")]
        if status != 200:
            return status, [*headers, ("retry-after-ms", "1")], b'{"error": {"message": "busy"}}'
        with self._lock:
            self.answered[content] += 1
        body = json.loads(content)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        said: dict[str, Any] = {"role": "assistant", "content": f"FINAL ANSWER: {body['seed'] * 7}"}
        if turn < len(CALLS):
            name, arguments = CALLS[turn]
            call = {"id": f"c{turn}", "type": "function", "function": {"name": name, "arguments": arguments}}
            said = {"role": "assistant", "content": None, "tool_calls": [call]}
        usage = {"prompt_tokens": len(content), "completion_tokens": 9, "total_tokens": len(content) + 9}
        reply = {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": usage}
        return 200, headers, json.dumps(reply).encode()


def planned(folder: WorldFolder, **options: Any) -> RunPlan:
    return make_plan(folder, tasks=folder.suite.active()[:3], model="some-model", runs=3, **options)


def played(
    plan: RunPlan, folder: WorldFolder, out: str, endpoint: Endpoint, patch: pytest.MonkeyPatch, **how: Any
) -> Finished:
    """A whole replay of the plan against an endpoint of its own."""
    with answering(endpoint.answer) as address:
        patch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        how = {"workers": 1, "resume": False, "replace": False, **how}
        return replay(plan, folder, Path(out), **how)


@pytest.mark.parametrize(
    ("concurrency", "workers"),
    [(200, 1), pytest.param(None, 1, marks=pytest.mark.check), pytest.param(20, 3, marks=pytest.mark.check)],
)
def test_certificates_do_not_depend_on_how_many_are_in_flight(
    folder: WorldFolder, monkeypatch: pytest.MonkeyPatch, concurrency: int | None, workers: int
) -> None:
    """One, many, or as many as the endpoint bears; in one process or several."""
    plan, one, many = planned(folder), Endpoint(), Endpoint(gathers=4)
    alone = played(plan, folder, "alone", one, monkeypatch, concurrency=1)
    together = played(plan, folder, "together", many, monkeypatch, concurrency=concurrency, workers=workers)
    assert first_difference(alone.out, together.out) is None
    assert one.most == 1 and one.answered == many.answered
    assert {row["stop"] for row in read_table(together.out / "clean-tools" / "results.parquet")} == {"answered"}


@pytest.mark.check
def test_an_endpoint_that_refuses_a_third_is_asked_for_everything_once(
    folder: WorldFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every run ends judged, and no completion is paid for twice."""
    statuses = (429, 500, 503)
    calm, moody = Endpoint(), Endpoint(lambda number: 200 if number % 3 else statuses[number // 3 % 3])
    plan = planned(folder)
    alone = played(plan, folder, "alone", calm, monkeypatch, concurrency=1)
    together = played(plan, folder, "together", moody, monkeypatch)
    assert first_difference(alone.out, together.out) is None and calm.answered == moody.answered


@pytest.mark.check
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
def test_a_killed_replay_goes_on_and_asks_for_no_kept_run_again(
    folder: WorldFolder, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    """kill -9 after any number of completions: the certificate is equal, and what was kept is never paid for twice."""
    calm, killed, rng = Endpoint(), Endpoint(), random.Random(20261128)
    plan = planned(folder)
    whole = played(plan, folder, "whole", calm, monkeypatch, concurrency=1)
    command = [
        str(Path(sys.executable).with_name("caia-replay")),
        "replay",
        "--suite",
        "mini-6",
        "--model",
        "some-model",
    ]
    command += ["--runs", "3", "--concurrency", "5", "--out", "cut"]
    command += [word for task in plan.tasks for word in ("--task", task)]
    with answering(killed.answer) as address:
        environ = {**os.environ, "OPENAI_BASE_URL": f"{address}/v1"}
        for number in range(kills + 1):
            resume = ["--resume"] if Path("cut.partial").exists() else []
            kept = {path.relative_to("cut.partial") for path in Path("cut.partial").glob("*/trajectories/*/*.json")}
            before, stop_after = killed.asked, rng.randrange(1, 9)
            with subprocess.Popen([*command, *resume], env=environ, stdout=-3, stderr=subprocess.PIPE) as running:
                while running.poll() is None and (number == kills or killed.asked < before + stop_after):
                    time.sleep(0.01)
                running.kill()
            if Path("cut").exists():
                break
            assert kept <= {path.relative_to("cut.partial") for path in Path("cut.partial").glob("*/*/*/*.json")}
    assert first_difference(whole.out, Path("cut")) is None
    again = killed.answered - calm.answered
    assert set(killed.answered) == set(calm.answered) and sum(again.values()) <= 5 * (len(CALLS) + 1) * kills


def test_traffic_of_runs_in_flight_is_recorded_apart(folder: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tape plays the same certificates without a server."""
    done = played(planned(folder, record_model="kept"), folder, "live", Endpoint(gathers=4), monkeypatch, concurrency=9)
    plan = make_plan(folder, tasks=folder.suite.active()[:3], model="recorded/kept", runs=3)
    how: dict[str, Any] = {"workers": 1, "resume": False, "replace": False}
    again = replay(plan, folder, Path("again"), **how)
    assert first_difference(done.out, again.out) is None
