"""What a run costs beyond its model and its tools, beside Inspect AI on the same sample.

The sample: three tool calls, one a turn, then an answer. Ours is a whole run of a task in its world: agent, toolset,
verdict, record on disk. From it the openai client's own cost and the tools' are taken, measured bare in the same
rounds. Inspect AI plays its sample with mockllm and a tool that returns a constant, in an environment of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import httpx2

from benchmarks.row import Row, side_by_side
from caia_replay.agents.resolve import resolve_agent
from caia_replay.canonical import canonical_bytes
from caia_replay.core.agent import Budget
from caia_replay.models.policies.conversation import Wire, answer_message, call_message, parameters_of, tool_results
from caia_replay.models.policy import PolicyModel
from caia_replay.models.wire import tool_to_wire
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan import make_plan
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

CALLS: Final = tuple(("time_conversion", {"time": f"2024-05-0{day}"}) for day in (1, 2, 3))
"""Cheap calls that read no world, so that what is measured is not the tools."""


class ThreeCalls:
    """A script: the three calls of the sample, then an answer."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next call, or the answer."""
        done = len(tool_results(messages))
        if done == len(CALLS):
            return answer_message("42")
        name, arguments = CALLS[done]
        return call_message(name, arguments, parameters_of(tools, name) or {}, done + 1)


HARNESS_LIMIT_MS: Final = 5.0
INSPECT: Final = Path(".cache/inspect/bin/python")
"""Where scripts/peers.sh puts Inspect AI, from the checkout's own folder."""
_ROUNDS, _SAMPLES = 60, 100


def rows(suite: str) -> Iterator[Row]:
    """The harness beside its limit, the openai client's two ways, and Inspect AI where it is installed."""
    folder = open_world(suite)
    with tempfile.TemporaryDirectory() as scratch, FrozenWorld(folder) as world:
        spent = _measured(world, folder, Path(scratch))
    run, client, tools = (spent[name] / 1000 for name in ("run", "client", "tools"))
    yield Row("a run beyond client and tools", run - client - tools, "ms", HARNESS_LIMIT_MS, 1.0)
    yield Row("a run of three calls, all of it", run, "ms", client + tools)
    yield Row("4 completions by create(), 23 tools", spent["create"] / 1000, "ms", client)
    peer = by_inspect(INSPECT, _SAMPLES)
    if peer is not None:
        yield Row("Inspect AI, the same sample", peer, "ms", run, 1.0, at_least=True)


def _measured(world: FrozenWorld, folder: WorldFolder, scratch: Path) -> dict[str, float]:
    plan = make_plan(folder, arms=("clean",), model="policy/bench", runs=1)
    task = folder.task(plan.tasks[0])
    model = PolicyModel("policy/bench", lambda brief, key: ThreeCalls())
    stage = EpisodeContext(plan, world, model, resolve_agent("react"), {"clean": NO_OVERLAY}, Budget())
    journal = Journal(scratch / "run")
    cell = plan.cells[0]
    record = stage.run(task, cell, 1)
    clients = Clients(record)

    def run() -> None:
        journal.save(stage.run(task, cell, 1), cell.folder)

    def tools() -> None:
        with WorldToolset(world.task(task)) as toolset:
            for name, arguments in CALLS:
                toolset.call(name, json.dumps(arguments))

    try:
        return side_by_side(
            {"run": run, "client": clients.post, "create": clients.create, "tools": tools}, rounds=_ROUNDS
        )
    finally:
        clients.close()
        model.close()


class Clients:
    """The openai client on the requests of a record, answered by a constant, by ``post`` and by ``create``."""

    def __init__(self, record: dict[str, Any]) -> None:
        from openai import OpenAI

        self._tools = [tool_to_wire(tool.spec) for tool in CATALOG.values()]
        self._requests, replies = conversation(record)
        self._replies = cycle(replies)
        transport = httpx2.MockTransport(self._reply)
        self._client = OpenAI(
            api_key="none",
            base_url="http://bench.invalid/v1",
            max_retries=0,
            http_client=httpx2.Client(transport=transport, trust_env=False),
        )

    def post(self) -> None:
        """Every completion by the client's ``post``."""
        from openai.types.chat import ChatCompletion

        for messages in self._requests:
            body = {"model": "bench", "messages": messages, "tools": self._tools}
            self._client.post("/chat/completions", body=body, cast_to=ChatCompletion)

    def create(self) -> None:
        """Every completion by ``chat.completions.create``."""
        for messages in self._requests:
            create: Any = self._client.chat.completions.create
            create(model="bench", messages=messages, tools=self._tools)

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _reply(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=next(self._replies))


def conversation(record: dict[str, Any]) -> tuple[list[list[dict[str, Any]]], list[bytes]]:
    """A record's requests, as ``messages`` arrays, and the replies' bodies, turn by turn."""
    messages: list[dict[str, Any]] = list(record["prompt"])
    requests, replies = [], []
    for step in record["steps"]:
        if step["kind"] == "tool":
            shown = canonical_bytes(step["shown"]).decode()
            messages = [*messages, {"role": "tool", "tool_call_id": step["call_id"], "content": shown}]
            continue
        calls = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in step["tool_calls"]
        ]
        message: dict[str, Any] = {"role": "assistant", "content": step["content"] or None}
        message |= {"tool_calls": calls} if calls else {}
        requests.append(messages)
        replies.append(canonical_bytes(_completion(message, step)))
        messages = [*messages, message]
    return requests, replies


def _completion(message: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": step["finish_reason"]}
    prompt, completion = step["prompt_tokens"], step["completion_tokens"]
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    head = {"id": "chatcmpl-bench", "object": "chat.completion", "created": 0, "model": "bench"}
    return head | {"choices": [choice], "usage": usage}


def by_inspect(python: Path, samples: int, *endpoint: object) -> float | None:
    """What ``inspect_sample`` prints of so many samples; None where Inspect AI is not, or does not run."""
    if not python.exists():
        print("Inspect AI is not installed: sh scripts/peers.sh inspect brings it for this comparison", file=sys.stderr)
        return None
    script = Path(__file__).with_name("inspect_sample.py")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), "-P", str(script), str(samples), folder, *map(str, endpoint)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if ran.returncode:
        print(f"Inspect AI did not run: {ran.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return float(ran.stdout.split()[-1])
