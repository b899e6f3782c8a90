"""What a tool call of an external agent costs over the tool itself: over plain HTTP, and over MCP.

``serve tools`` runs in a process of its own, as users have it; the client here is the cheapest there is, one kept line
and nothing read, so that what is measured is the server. Pairs are measured in turns with the tool's own call.
"""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.row import Row, side_by_side
from caia_replay.runner.episode import toolset_in
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

LIMIT_MS: Final = 2.0
_ROUNDS = 400
_CALLS: Final = (
    ("time_conversion", {"time": "2024-06-15"}),
    ("web_search", {"query": "supply"}),
    ("block_query", {"block": 1}),
)
_JSON: Final = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_VERSION: Final = "2025-11-25"


def rows(suite: str) -> Iterator[Row]:
    """For each of three tools what the doors add to it; MCP is held to 2 ms, and left out where it is not installed."""
    folder = open_world(suite)
    task = folder.suite.active()[0]
    with (
        _serving(folder.path, task) as line,
        FrozenWorld(folder) as world,
        toolset_in("clean", world.task(folder.task(task))) as tools,
    ):
        session = json.loads(_post(line, "/sessions", {})[1])["session"]
        spoken = _greeted(line) if find_spec("mcp") else None
        for name, arguments in _CALLS:
            text = json.dumps(arguments)
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            subjects: dict[str, Any] = {
                "tool": lambda name=name, text=text: tools.call(name, text),
                "HTTP": lambda name=name, asked=arguments: _post(line, f"/sessions/{session}/tools/{name}", asked),
            }
            if spoken is not None:
                subjects["MCP"] = lambda call=call: _post(line, "/mcp", call, spoken)
            spent = side_by_side(subjects, rounds=_ROUNDS)
            for door in [*subjects][1:]:
                more = (spent[door] - spent["tool"]) / 1000
                yield Row(f"{name} over {door}, beyond the tool", more, "ms", LIMIT_MS, 1.0 if door == "MCP" else None)


@contextmanager
def _serving(world: Path, task: str) -> Iterator[http.client.HTTPConnection]:
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(Path(sys.executable).with_name("caia-replay")), "serve", "tools", "--suite", str(world)]
        command += ["--task", task, "--runs", "2", "--out", str(Path(scratch) / "run")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                assert process.stdout is not None
                told = ""
                while not (found := re.search(r"http://([0-9.:]+)/sessions;", told)):
                    line = process.stdout.readline()
                    assert line, "serve tools did not begin"
                    told += line
                yield http.client.HTTPConnection(found[1], timeout=60)
            finally:
                process.terminate()


def _post(
    line: http.client.HTTPConnection, path: str, body: object, headers: Mapping[str, str] = _JSON
) -> tuple[http.client.HTTPMessage, bytes]:
    line.request("POST", path, json.dumps(body), dict(headers))
    reply = line.getresponse()
    content = reply.read()
    assert reply.status < 300, content
    return reply.headers, content


def _greeted(line: http.client.HTTPConnection) -> dict[str, str]:
    """A new MCP session, as the headers of its requests."""
    hello = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
    told, _ = _post(line, "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    own = {**_JSON, "mcp-session-id": told["mcp-session-id"], "mcp-protocol-version": _VERSION}
    _post(line, "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, own)
    return own
