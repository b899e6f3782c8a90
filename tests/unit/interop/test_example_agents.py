"""The example agents, each a framework in an environment of its own, driven by what our own agent's model said."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import caia_replay
from caia_replay.runner.plan import RunPlan
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.bad_exchange import completion
from tests.chat_server import ChatServer, Entry
from tests.peer_python import brought_python
from tests.tool_door import external_plan, facts, served

PROJECT = Path(__file__).resolve().parents[3]
ARMS = ("clean", "attacked")
FRAMEWORKS = ("pydantic_ai", "openai_agents", "langgraph", "smolagents")
pytestmark = pytest.mark.check


class Retold(ChatServer):
    """An endpoint that says again what was said in runs, one run after the other.

    A program that can end by the tool ``final_answer`` alone says its last words by that one.
    """

    def __init__(self, records: list[Mapping[str, Any]]) -> None:
        super().__init__()
        self._left = [[step for step in one["steps"] if step["kind"] == "model"] for one in records]
        self._now: list[dict[str, Any]] = []

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> Entry:
        """What was said after as many turns."""
        turn = sum(one["role"] == "assistant" for one in body["messages"])
        if turn == 0:
            self._now = self._left.pop(0)
        said = self._now[turn]
        calls = [{"id": one["id"], "type": "function", "function": one} for one in said["tool_calls"]]
        names = {tool["function"]["name"] for tool in body["tools"]}
        if not calls and "final_answer" in names:
            function = {"name": "final_answer", "arguments": json.dumps({"answer": said["content"]})}
            calls = [{"id": "last", "type": "function", "function": function}]
        message = {"content": said["content"], **({"tool_calls": calls} if calls else {})}
        return 200, completion(message, "tool_calls" if calls else "stop"), {}


def records_of(run: Path, plan: RunPlan) -> list[Mapping[str, Any]]:
    found = caia_replay.read_run(run)
    return [found.trajectory(task, attempt, cell.folder) for task, cell, attempt in plan.episodes()]


@pytest.fixture(scope="module")
def many() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


@pytest.fixture(scope="module")
def ours(many: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunPlan]:
    """Our own agent on 12 tasks of many projects, once in each arm, with a policy that believes what it finds."""
    names = [entry.id for entry in many.suite.entries][3::15][:12]
    out = tmp_path_factory.mktemp("ours") / "run"
    caia_replay.replay("policy/credulous", many.path, out=out, tasks=names, arms=ARMS, runs=1, workers=1)
    return out, external_plan(many, tasks=tuple(names), arms=ARMS)


@pytest.mark.parametrize("door", ["mcp", "http"])
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_has_the_verdicts_of_our_own_agent(
    many: WorldFolder, ours: tuple[Path, RunPlan], tmp_path: Path, name: str, door: str
) -> None:
    """Told the same completions, it makes the same calls, and its verdicts and adoptions are those of react."""
    python = brought_python(name)
    records = records_of(*ours)
    endpoint = Retold(records)
    env = {**os.environ, "OPENAI_BASE_URL": endpoint.base_url, "OPENAI_API_KEY": "none"}
    try:
        with served(many, tmp_path / "run", tasks=ours[1].tasks, arms=ARMS) as desk:
            ran = subprocess.run(
                [str(python), "-P", str(PROJECT / "examples" / "agents" / f"{name}_{door}.py"), desk.url],
                cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600,
            )  # fmt: skip
            assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
            out = desk.finish().out
    finally:
        endpoint.close()
    assert facts(out, ours[1]) == facts(*ours)
    assert {one["score"]["correct"] for one in facts(out, ours[1])} == {True, False}
    assert [calls(one) for one in records_of(out, ours[1])] == [calls(one) for one in records]


def calls(record: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """A run's calls with what was answered."""
    steps = [step for step in record["steps"] if step["kind"] == "tool"]
    return [(step["tool"], json.loads(step["arguments"]), step["shown"]) for step in steps]
