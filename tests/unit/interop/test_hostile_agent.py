"""Clients of serve tools that send what is no request, take what is not theirs, or are a page in a browser."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from caia_replay.runner.desk import MOST_AT_ONCE
from caia_replay.runner.plan import RunPlan
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder
from tests.tool_door import ask, begin, play, scripts, served, together

pytest.importorskip("mcp")

JSON = {"content-type": "application/json"}
MCP = {**JSON, "accept": "application/json, text/event-stream"}
LONG = b'{"address": "' + b"x" * 2**20 + b'"}'
DEEP = b"[" * 600 + b"]" * 600
Case = tuple[str, str, str, Mapping[str, str], bytes, int]
"""Name, method, path, headers, body, and the status it is refused with."""


def over_http(session: str, ended: str, task: str) -> Iterator[Case]:
    """What is refused on plain HTTP; ``session`` is open, ``ended`` is not, and the one run of ``task`` is taken."""
    tool, answer = f"/sessions/{session}/tools/block_query", f"/sessions/{session}/answer"
    for path in (tool, answer, "/sessions"):
        yield "page", "POST", path, {**JSON, "origin": "http://evil.example"}, b"{}", 403
        yield "fetch", "POST", path, {**JSON, "sec-fetch-site": "cross-site"}, b"{}", 403
        yield "name", "POST", path, {**JSON, "host": "evil.example"}, b"{}", 421
        yield "simple", "POST", path, {"content-type": "text/plain"}, b"{}", 415
        yield "long", "POST", path, JSON, LONG, 413
    yield "bytes", "POST", tool, JSON, b"\xff", 400
    yield "tool", "POST", tool + "x" * 100, JSON, b"{}", 400
    for body in (b"[]", b"3", b"{", b'{"task": 3}', b'{"task": "nope"}', b'{"arm": "clean"}', DEEP, b'{"task": 1e999}'):
        yield "begin", "POST", "/sessions", JSON, body, 400
    for body in (b"", b"{}", b'{"answer": null}', b'{"answer": 3}', b'{"answer": ["3"]}', b"NaN", DEEP):
        yield "answer", "POST", answer, JSON, body, 400
    yield "second", "POST", "/sessions", JSON, json.dumps({"task": task}).encode(), 404
    for name in ("none", "..%2f..", "%00", "é", ended[:-1], ended.upper()):
        yield "stranger", "POST", f"/sessions/{name}/tools/block_query", JSON, b"{}", 404
    yield "replayed", "POST", f"/sessions/{ended}/tools/block_query", JSON, b"{}", 410
    yield "again", "POST", f"/sessions/{ended}/answer", JSON, b'{"answer": "4"}', 410
    yield "leave", "DELETE", f"/sessions/{ended}", {}, b"", 410
    yield "method", "PUT", answer, JSON, b"{}", 405
    yield "path", "GET", "/etc/passwd", {}, b"", 404


def over_mcp(session: str) -> Iterator[Case]:
    """What is refused at /mcp, where ``session`` is open."""
    own = {**MCP, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
    call = rpc("tools/call", {"name": "block_query", "arguments": {}})
    yield "page", "POST", "/mcp", {**own, "origin": "http://evil.example"}, call, 403
    yield "name", "POST", "/mcp", {**own, "host": "evil.example"}, call, 421
    yield "simple", "POST", "/mcp", {**own, "content-type": "text/plain"}, call, 415
    yield "long", "POST", "/mcp", own, rpc("tools/call", {"name": "block_query", "arguments": {"x": "y" * 2**20}}), 413
    yield "nobody", "POST", "/mcp", MCP, call, 400
    yield "replayed", "POST", "/mcp", {**own, "mcp-session-id": "0" * 32}, call, 404
    yield "listens", "GET", "/mcp", own, b"", 405
    yield "modern", "POST", "/mcp", {**own, "mcp-protocol-version": "2026-07-28"}, call, 400
    yield "broken", "POST", "/mcp", own, b"{", 400
    yield "deep", "POST", "/mcp", own, DEEP, 400


def rpc(method: str, params: object, number: int | None = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def mcp_session(url: str) -> str:
    """A new MCP session's id."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    opened = ask("POST", f"{url}/mcp", content=rpc("initialize", hello), headers=MCP)
    session = opened.headers["mcp-session-id"]
    note = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    ask("POST", f"{url}/mcp", content=note, headers={**MCP, "mcp-session-id": session})
    return session


def half(url: str, path: str) -> bytes:
    """What is answered to a request that ends in the middle of its body."""
    host, port = url.removeprefix("http://").split(":")
    with closing(socket.create_connection((host, int(port)), timeout=60)) as line:
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 99\r\n\r\n{{".encode())
        line.shutdown(socket.SHUT_WR)
        return line.recv(4096)


def test_who_sends_what_is_no_request_is_told_and_nobody_else_notices(
    folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path
) -> None:
    """Each is refused with its status and words; a run beside them is certified as if it had been alone."""
    first, second, third, *_ = folder.suite.active()
    script = scripts(*react)[0]
    with served(folder, tmp_path / "alone", arms=("clean",), tasks=[first]) as door:
        play(door.url, begin(door.url)["session"], script)
        alone = door.finish()
    faults: list[str] = []
    with served(folder, tmp_path / "beside", arms=("clean",), tasks=[first, second, third]) as door:
        neighbour, victim = begin(door.url, first)["session"], begin(door.url, second)["session"]
        ended = begin(door.url, third)["session"]
        ask("POST", f"{door.url}/sessions/{ended}/answer", json={"answer": "3"})
        for name, method, path, headers, body, status in [
            *over_http(victim, ended, second),
            *over_mcp(mcp_session(door.url)),
        ]:
            got = ask(method, door.url + path, headers=headers, content=body)
            if got.status_code != status or not got.json()["error"]["message"]:
                faults.append(f"{name} {method} {path[:30]} {body[:30]!r}: {got.status_code} {got.text[:200]}")
            own = ask("GET", f"{door.url}/sessions/{neighbour}").json()
            assert own["state"] == "open" and own["calls"] == 0
        for path in (f"/sessions/{victim}/tools/block_query", "/sessions", "/mcp"):
            assert half(door.url, path) == b"", "a line that is closed cannot be told anything"
        flood = [lambda: faults.extend(burst(door.url, victim)) for _ in range(20)]
        together([*flood, lambda: play(door.url, neighbour, script)], seed=1)
        ask("DELETE", f"{door.url}/sessions/{victim}")
        done = door.finish()
    assert not faults, "\n".join(faults)
    assert record(done.out, first) == record(alone.out, first)


@pytest.mark.check
def test_who_opens_sessions_without_end_is_refused(folder: WorldFolder, tmp_path: Path) -> None:
    """Over MCP, where they are not runs yet; whoever is there already plays on, and a closed one makes room."""
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[folder.suite.active()[0]]) as door:
        opened = [mcp_session(door.url) for _ in range(MOST_AT_ONCE)]
        with pytest.raises(KeyError):
            mcp_session(door.url)
        own = {**MCP, "mcp-session-id": opened[0], "mcp-protocol-version": "2025-11-25"}
        call = rpc("tools/call", {"name": "submit_answer", "arguments": {"answer": "3"}})
        told = ask("POST", f"{door.url}/mcp", content=call, headers=own).json()
        assert json.loads(told["result"]["content"][0]["text"])["stop"] == "answered"
        assert ask("DELETE", f"{door.url}/mcp", headers=own).status_code == 200
        assert mcp_session(door.url)
        door.finish()


def burst(url: str, session: str) -> Iterator[str]:
    """Calls in a hurry: each is served, or told to wait."""
    with httpx2.Client(base_url=url, verify=False, timeout=600) as client:
        for _ in range(10):
            got = client.post(f"/sessions/{session}/tools/time_conversion", json={})
            if got.status_code not in (200, 429):
                yield f"burst: {got.status_code} {got.text[:200]}"


def record(run: Path, task: str) -> Any:
    """One run's record."""
    with Trajectories(run / "clean-tools") as records:
        return records.json(task, 1)
