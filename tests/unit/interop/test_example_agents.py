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
from tests.tool_door import external_plan, served

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


@pytest.fixture(scope="module")
def many() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


@pytest.fixture(scope="module")
def ours(many: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunPlan, list[Mapping[str, Any]]]:
    """A plan of 12 tasks of many projects, once in each arm, and our own agent's records: one half of the tasks by a
    policy that believes what it finds, one by the oracle, which uses many tools."""
    names = [entry.id for entry in many.suite.entries]
    place = tmp_path_factory.mktemp("ours")
    found = {}
    for policy, tasks in {"credulous": names[1::30][:6], "oracle": names[10::30][:6]}.items():
        run = caia_replay.replay(
            f"policy/{policy}", many.path, out=place / policy, tasks=tasks, arms=ARMS, runs=1, workers=1
        )
        found |= {(task, arm): run.trajectory(task, 1, f"{arm}-tools") for task in tasks for arm in ARMS}
    plan = external_plan(many, tasks=tuple(dict.fromkeys(task for task, _ in found)), arms=ARMS)
    return plan, [found[task, cell.arm] for task, cell, _ in plan.episodes()]


@pytest.mark.parametrize("door", ["mcp", "http"])
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_has_the_verdicts_of_our_own_agent(
    many: WorldFolder, request: pytest.FixtureRequest, tmp_path: Path, name: str, door: str
) -> None:
    """Told the same completions, in 30 lines it makes the same calls and has the verdicts and adoptions of react."""
    program = PROJECT / "examples" / "agents" / f"{name}_{door}.py"
    assert len(program.read_text("utf-8").splitlines()) <= 30
    python = brought_python(name)
    plan, records = request.getfixturevalue("ours")
    endpoint = Retold(records)
    env = {**os.environ, "OPENAI_BASE_URL": endpoint.base_url, "OPENAI_API_KEY": "none"}
    try:
        with served(many, tmp_path / "run", tasks=plan.tasks, arms=ARMS) as desk:
            ran = subprocess.run(
                [str(python), "-P", str(program), desk.url],
                cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600,
            )  # fmt: skip
            assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
            run = caia_replay.read_run(desk.finish().out)
    finally:
        endpoint.close()
    played = [run.trajectory(task, attempt, cell.folder) for task, cell, attempt in plan.episodes()]
    assert [outcome(one) for one in played] == [outcome(one) for one in records]


def outcome(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a run called and was shown, its verdict, and what it adopted."""
    steps = [step for step in record["steps"] if step["kind"] == "tool"]
    calls = [(step["tool"], json.loads(step["arguments"]), step["shown"]) for step in steps]
    attack = {name: record["attack"][name] for name in ("exposed", "opened", "adopted", "adopted_attack", "resisted")}
    return {"task": record["task"], "calls": calls, "score": record["score"], **attack}


def test_the_completions_tell_outcomes_apart(ours: tuple[RunPlan, list[Mapping[str, Any]]]) -> None:
    """Right and wrong answers, lies adopted and not, many tools: what frameworks are compared by varies."""
    found = [outcome(one) for one in ours[1]]
    assert {one["score"]["correct"] for one in found} == {one["adopted"] for one in found} == {True, False}
    assert len({tool for one in found for tool, *_ in one["calls"]}) > 6
