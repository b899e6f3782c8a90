"""All the tools at once, as a live model gets and calls them: strict schemas out, one turn of parallel calls back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from caia_replay.core.task import Task
from caia_replay.core.tool import ToolSpec
from caia_replay.models.wire import tool_to_wire
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.every_draw import drawn, every_draw

NAMES: Final = (
    *("price_feed", "ranking_query", "positioning_analysis", "volatility_alerts", "indicator_analysis", "web_search"),
    *("url_fetching", "trend_detection", "twitter_search", "social_stream", "protocol_metrics", "revenue_analysis"),
    *("network_activity", "exchange_summary", "exchange_overview", "supply_query", "data_query", "time_conversion"),
    *("balance_query", "transaction_query", "block_query", "release_schedule", "code_execution"),
)
"""CAIA's 23, by category."""
KEYWORDS: Final = frozenset({"type", "description", "enum", "items", "anyOf", "properties", "required"})
TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
DEEPEST, MOST_PROPERTIES, MOST_ENUM_VALUES, LONGEST_DESCRIPTION, MOST_NAME_CHARACTERS = 5, 100, 500, 1_024, 15_000
"""OpenAI's limits of strict function schemas; where they were widened, the older and narrower ones."""


def strict_faults(function: Mapping[str, Any]) -> list[str]:
    """What OpenAI's API would refuse in a function of a request's ``tools``."""
    faults: list[str] = []
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"]):
        faults.append(f"name {function['name']!r}")
    if not 1 <= len(function["description"]) <= LONGEST_DESCRIPTION:
        faults.append(f"description of {len(function['description'])} characters")
    if function["strict"] is not True or set(function) != {"name", "description", "parameters", "strict"}:
        faults.append("not strict, or more than a function has")
    root = function["parameters"]
    if root.get("type") != "object" or "anyOf" in root:
        faults.append("the root is no plain object")
    found = list(_parts(root, "", 1))
    faults += [f"{place}: {fault}" for place, schema, depth in found for fault in _faults(schema, depth)]
    properties = [name for _, schema, _ in found for name in schema.get("properties", ())]
    values = [value for _, schema, _ in found for value in schema.get("enum", ())]
    if len(properties) > MOST_PROPERTIES or len(values) > MOST_ENUM_VALUES:
        faults.append(f"{len(properties)} properties, {len(values)} enum values")
    if sum(map(len, map(str, (*properties, *values)))) > MOST_NAME_CHARACTERS:
        faults.append("names and enum values are too long together")
    return faults


def _parts(schema: Mapping[str, Any], place: str, depth: int) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    yield place or "root", schema, depth
    for name, inner in schema.get("properties", {}).items():
        yield from _parts(inner, f"{place}.{name}", depth + 1)
    if "items" in schema:
        yield from _parts(schema["items"], f"{place}[]", depth + 1)
    for number, inner in enumerate(schema.get("anyOf", ())):
        yield from _parts(inner, f"{place}|{number}", depth)


def _faults(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    strange = set(schema) - KEYWORDS - ({"additionalProperties"} if schema.get("type") == "object" else set())
    if strange:
        yield f"keywords {sorted(strange)}"
    if ("type" in schema) == ("anyOf" in schema):
        yield "not exactly one of type and anyOf"
    if "type" in schema and schema["type"] not in TYPES:
        yield f"type {schema['type']!r}"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "additionalProperties is not false"
        if schema.get("required") != list(schema.get("properties", ())):
            yield "not every property is required"
    if schema.get("type") == "array" and "items" not in schema:
        yield "an array of anything"
    if "enum" in schema and (not schema["enum"] or len(set(schema["enum"])) != len(schema["enum"])):
        yield "an enum of nothing or of equal values"
    if "anyOf" in schema and len(schema["anyOf"]) < 2:
        yield "anyOf of one"
    if depth > DEEPEST:
        yield f"{depth} levels deep"


class SlowServer:
    """A chat endpoint that calls every tool it is offered in one turn, then answers; each reply takes its time."""

    def __init__(self, arguments: Mapping[str, str], order: Random, delays: Random) -> None:
        self.tools: list[dict[str, Any]] = []
        self.conversations: list[list[dict[str, Any]]] = []
        names = list(arguments)
        order.shuffle(names)
        self.calls = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments[name]}}
            for number, name in enumerate(names)
        ]
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                time.sleep(delays.random() / 4)
                data = json.dumps(owner.reply(asked)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Every tool first, and an answer to what came back."""
        message: dict[str, Any] = {"role": "assistant", "content": "All of them.", "tool_calls": self.calls}
        if asked["messages"][-1]["role"] == "tool":
            self.tools = asked["tools"]
            self.conversations.append(asked["messages"])
            message = {"role": "assistant", "content": "FINAL ANSWER: 42"}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture(scope="module")
def suite(shipped: Path) -> Path:
    """The shipped economy."""
    return shipped.parent / "synthetic-178"


@pytest.fixture(scope="module")
def asked(suite: Path) -> Task:
    """A task late on its main chain, most of the story before it."""
    return anchored(open_world(str(suite)), 90)


@pytest.fixture(scope="module")
def arguments(suite: Path, asked: Task) -> dict[str, str]:
    """A call of every tool, drawn for that task, as the model's JSON text."""
    with FrozenWorld(open_world(str(suite))) as world:
        task = world.task(asked)
        return {name: json.dumps(drawn(tool, Random(f"all/{name}"), task)) for name, tool in CATALOG.items()}


def replayed(out: Path, suite: Path, task: str, arguments: Mapping[str, str], workers: int) -> SlowServer:
    """Two runs of the task with a model behind a slow endpoint, in a process of its own."""
    server = SlowServer(arguments, Random("order"), Random(workers))
    try:
        command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "replay", "--suite", str(suite)]
        command += ["--task", task, "--model", "every-tool", "--arm", "clean", "--runs", "2"]
        command += ["--workers", str(workers), "--out", str(out)]
        key = {"OPENAI_API_KEY": "sk-test-0123456789", "OPENAI_BASE_URL": server.base_url}
        run = subprocess.run(command, env={**os.environ, **key}, capture_output=True, text=True, cwd=out.parent)
        assert run.returncode == 0, run.stderr[-2000:]
    finally:
        server.close()
    return server


def test_the_catalog_has_the_23_of_caia() -> None:
    """By CAIA's names, each once, in the order of its categories; further tools may stand among them."""
    assert tuple(name for name in CATALOG if name in NAMES) == NAMES
    assert set(every_draw()) >= set(NAMES)


def test_every_schema_is_one_that_strict_mode_takes() -> None:
    """Name, description and schema keep to OpenAI's rules and limits."""
    faults = {name: strict_faults(tool_to_wire(tool.spec)["function"]) for name, tool in CATALOG.items()}
    assert {name: told for name, told in faults.items() if told} == {}


def test_what_strict_mode_refuses_is_seen() -> None:
    """Each rule is broken by a schema of its own."""
    fine: dict[str, Any] = {"type": "string"}
    whole = {"type": "object", "properties": {"a": fine}, "required": ["a"], "additionalProperties": False}

    def faults(schema: Any, name: str = "t", description: str = "d") -> str:
        return "; ".join(
            strict_faults(tool_to_wire(ToolSpec(name, description, schema, "c", "authoritative"))["function"])
        )

    deep: dict[str, Any] = fine
    for _ in range(5):
        deep = {"type": "array", "items": deep}
    assert faults(whole) == ""
    many = dict.fromkeys(map(str, range(101)), fine)
    for schema, wanted in (
        ({**whole, "additionalProperties": True}, "additionalProperties"), ({**whole, "required": []}, "required"),
        ({"anyOf": [whole, whole]}, "no plain object"),
        ({**whole, "properties": many, "required": list(many)}, "101 prop"),
        *(({**whole, "properties": {"a": inner}}, told) for inner, told in (
            ({**fine, "minLength": 1}, "minLength"), ({**fine, "default": "x"}, "default"), ({}, "exactly one"),
            ({"type": "array"}, "array of anything"), ({"type": "date"}, "'date'"), ({"anyOf": [fine]}, "anyOf of one"),
            ({"type": "string", "enum": []}, "enum of nothing"), (deep, "levels deep"),
        )),
    ):  # fmt: skip
        assert wanted in faults(schema)
    assert "name" in faults(whole, name="two words") and "1025" in faults(whole, description="d" * 1025)


@pytest.mark.check
def test_all_tools_in_one_turn_come_back_in_order_and_the_same(
    suite: Path, asked: Task, tmp_path: Path, arguments: dict[str, str]
) -> None:
    """Calls of one turn are answered in listed order, equal in bytes whatever the pace, process and worker count."""
    servers = {workers: replayed(tmp_path / str(workers), suite, asked.id, arguments, workers) for workers in (1, 2)}
    for server in servers.values():
        assert [tool["function"]["name"] for tool in server.tools] == list(CATALOG)
        assert len(server.conversations) == 2
        for messages in server.conversations:
            answers = [message for message in messages if message["role"] == "tool"]
            assert [message["tool_call_id"] for message in answers] == [call["id"] for call in server.calls]
            told = [json.loads(message["content"]) for message in answers]
            assert sum("error" not in reply for reply in told) >= 0.7 * len(told), told
    assert servers[1].conversations[0] == servers[1].conversations[1] == servers[2].conversations[0]
    first, second = (tmp_path / name / "clean-tools" for name in "12")
    for name in ("certificate.json", "trajectories.zip"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
