"""Runs for external agents over plain HTTP on loopback: a session is one run, whose program calls tools and answers.

    POST   /sessions                     take the next run: its question and its tools; {"task": ID} wants one of a task
    GET    /sessions/<session>           the same again, and how it stands
    POST   /sessions/<session>/tools/<t> call a tool: its arguments are the body, its reply is what a model is shown
    POST   /sessions/<session>/answer    {"answer": TEXT} ends the run
    DELETE /sessions/<session>           end it without an answer
    GET    /openapi.json                 all of this, as OpenAPI

Nobody is told the arm, the attempt or a verdict. A session's name is a secret of whoever took it. What a client does to
its own run is written down as any agent's acts are; what it sends that is no request is refused, and is no part of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from caia_replay.agents.reply_text import shown_text
from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.tool import ToolReply
from caia_replay.core.version import __version__
from caia_replay.errors import BadInput
from caia_replay.loopback import App, BodyRefused, BodyRoom, Limits, Receive, Send, read_body
from caia_replay.models.external import ClientRun, RunOver, TooMany
from caia_replay.models.wire import tool_to_wire
from caia_replay.runner.desk import Desk, NoneLeft
from caia_replay.tools.catalog import CATALOG, WALLET, CatalogTool

LONGEST_BODY_BYTES: Final = 256 * 2**10
LONGEST_TOOL_NAME: Final = 100
_ROOM_BYTES: Final = 64 * 2**20
MCP: Final = "/mcp"
NEXT: Final = "POST /sessions takes the next run"

T = TypeVar("T")


class Refused(Exception):
    """A request that is answered with ``status`` and an error of this ``kind``."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, kind

    @classmethod
    def over(cls, fault: RunOver) -> Refused:
        """For a client whose run has ended, or was broken off."""
        ended = f"this session has ended: {fault.stop}; nothing more is done in it"
        return cls(410, "session_ended", ended if fault.stop else _STOPPED)


async def settled(future: Future[T]) -> T:
    """Its result; who waits may go away without it being cancelled."""
    if future.done():
        return future.result()
    return await asyncio.shield(asyncio.wrap_future(future))


_STOPPED: Final = "caia-replay serve tools was stopped; this run is not kept, and --resume plays it again"


class ToolServer:
    """The ASGI application before a desk. ``mcp`` answers what is sent to /mcp, where it is spoken."""

    limits: Final = Limits(connections=1024, idle_s=3600, request_s=30)

    def __init__(self, desk: Desk, mcp: App | None = None) -> None:
        self._desk, self._mcp = desk, mcp
        self._room = BodyRoom(_ROOM_BYTES)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        try:
            with self._room.share() as take:
                body = await read_body(receive, _no_longer(take))
                if scope["path"] == MCP and self._mcp is not None:
                    await self._mcp(scope, _again(body, receive), send)
                    return
                status, content = await self._answer(scope["method"], scope["raw_path"].decode("latin-1"), body)
        except Refused as refused:
            error = {"type": refused.kind, "message": str(refused)}
            status, content = refused.status, canonical_bytes({"error": error})
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
        headers += [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        match method, [unquote(part) for part in path.split("/")[1:]]:
            case "GET", [""]:
                return 200, canonical_bytes({"use": NEXT, "openapi": "/openapi.json", "left": self._desk.left})
            case "GET", ["openapi.json"]:
                return 200, canonical_bytes(openapi(self._desk.catalog))
            case "POST", ["sessions"]:
                return 201, canonical_bytes(await self._take(_object(body)))
            case "GET", ["sessions", name]:
                return 200, canonical_bytes(await self._told(self._run(name)))
            case "POST", ["sessions", name, "answer"]:
                run, answer = self._run(name), _object(body).get("answer")
                if not isinstance(answer, str):
                    raise Refused(400, "bad_request", 'an answer is text: {"answer": "..."}; "" gives up')
                return 200, canonical_bytes(await submitted(self._desk, run, answer))
            case "DELETE", ["sessions", name]:
                run = self._run(name)
                return 200, canonical_bytes(await submitted(self._desk, run, None))
            case "POST", ["sessions", name, "tools", tool]:
                return 200, shown_text(await called(self._run(name), tool, _text(body) or "{}")).encode()
            case _, ["mcp"]:
                raise Refused(404, "not_found", "MCP is not spoken here: pip install 'caia-replay[mcp]', begin again")
            case _, [""] | ["openapi.json"] | ["sessions", *_]:
                raise Refused(405, "bad_request", f"{method} is not for {path[:80]}; GET /openapi.json says what is")
        raise Refused(404, "not_found", f"nothing is at {path[:80]}; {NEXT}, GET /openapi.json says more")

    async def _take(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        task = asked.get("task", "")
        if asked.keys() - {"task"} or not isinstance(task, str):
            raise Refused(400, "bad_request", 'the body is {"task": ID}, {} or nothing')
        return await self._told(take(self._desk, task))

    async def _told(self, run: ClientRun) -> dict[str, Any]:
        state = {"session": run.id, "state": "open" if run.over is None else "ended", "calls": run.calls}
        if run.over is not None:
            return {**state, "stop": run.over or None}
        try:
            offer = await settled(run.offered)
        except RunOver as fault:
            raise Refused.over(fault) from None
        most = self._desk.plan.calls
        return {
            **state,
            "question": offer.question,
            "tools": [tool_to_wire(spec) for spec in offer.tools],
            "expires_s": run.idle_s,
            "most_calls": most,
            "left": self._desk.left,
        }

    def _run(self, name: str) -> ClientRun:
        run = self._desk.run(name)
        if run is None:
            raise Refused(404, "no_session", f"no session has this name; {NEXT}")
        return run


def take(desk: Desk, task: str = "") -> ClientRun:
    """The next run of a desk. Raises ``Refused``, which says why there is none."""
    try:
        return desk.take(task)
    except NoneLeft:
        which = f"of task {task} " if task else ""
        raise Refused(404, "no_task_left", f"every run {which}is taken: nothing is left to play") from None
    except TooMany:
        raise Refused(503, "too_many", "too many sessions are open at once; end one, or try again later") from None
    except BadInput as fault:
        raise Refused(400, "no_task", str(fault)) from None


async def called(run: ClientRun, tool: str, arguments: str) -> ToolReply:
    """A tool's reply. Raises ``Refused`` for what is no call, and where the run has ended."""
    if not 0 < len(tool) <= LONGEST_TOOL_NAME or not tool.isprintable():
        raise Refused(400, "bad_request", f"a tool's name has 1 to {LONGEST_TOOL_NAME} printable characters")
    try:
        return await settled(run.call(tool, arguments))
    except RunOver as fault:
        raise Refused.over(fault) from None
    except TooMany:
        raise Refused(429, "too_many", "too many calls of this session wait; wait for their replies") from None


async def submitted(desk: Desk, run: ClientRun, answer: str | None) -> dict[str, Any]:
    """End a run with an answer, or leave it; what is told once that is kept. Raises ``Refused`` where it has ended."""
    try:
        stop = await settled(run.leave("its client ended it") if answer is None else run.submit(answer))
    except RunOver as fault:
        raise Refused.over(fault) from None
    return {"state": "ended", "stop": stop, "left": desk.left}


def _no_longer(take: Any) -> Any:
    """As ``take``, for bodies of tools: they are kept with the run."""
    length = 0

    def share(count: int) -> None:
        nonlocal length
        length += count
        if length > LONGEST_BODY_BYTES:
            raise BodyRefused(413, f"a body has at most {LONGEST_BODY_BYTES} bytes here")
        take(count)

    return share


def _again(body: bytes, receive: Receive) -> Receive:
    """What hands out a body that was read whole, and then what ``receive`` has."""
    whole = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Any:
        return whole.pop() if whole else await receive()

    return receive_again


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Refused(400, "bad_request", f"the body is no UTF-8: {fault.reason}") from None


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = strict_json(body) if body.strip() else {}
    except ValueError as fault:
        raise Refused(400, "bad_request", f"the body is no JSON: {str(fault)[:200]}") from None
    if not isinstance(found, dict):
        raise Refused(400, "bad_request", "the body is no JSON object")
    return found


def openapi(catalog: Mapping[str, CatalogTool] = CATALOG) -> dict[str, Any]:
    """The server as OpenAPI 3.1, every tool with its schema. A session tells which of them its run has."""
    session = [{"name": "session", "in": "path", "required": True, "schema": {"type": "string"}}]

    def act(what: str, body: Any = None, status: int = 200, **more: Any) -> dict[str, Any]:
        told = {str(status): {"description": HTTPStatus(status).phrase, "content": _json({"type": "object"})}}
        told["default"] = {"description": "Refused; the body says why", "content": _json({"type": "object"})}
        asked = {} if body is None else {"requestBody": {"required": status == 200, "content": _json(body)}}
        return {"description": what, **asked, "responses": told, **more}

    answer = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    task = {"type": "object", "properties": {"task": {"type": "string"}}}
    one = "/sessions/{session}"
    paths: dict[str, Any] = {
        "/sessions": {"post": act("Take the next run: its question and its tools.", task, 201, operationId="next")},
        one: {
            "parameters": session,
            "get": act("What was asked, and how the run stands.", operationId="session"),
            "delete": act("End the run without an answer.", operationId="leave"),
        },
        f"{one}/answer": {
            "parameters": session,
            "post": act("End the run with an answer, in the form that is asked for.", answer, operationId="answer"),
        },
    }
    for tool in (*catalog.values(), *WALLET.values()):
        spec = tool.spec
        post = act(spec.description, spec.parameters, operationId=spec.name, tags=[spec.category])
        paths[f"{one}/tools/{spec.name}"] = {"parameters": session, "post": post}
    info = {"title": "caia-replay serve tools", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
