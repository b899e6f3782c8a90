"""Runs for external agents over MCP, with the official SDK: a session is one run, over HTTP at /mcp or over stdio.

A client finds the tools of its run, ``submit_answer``, and the question: as a prompt, as a resource, and from the tool
``read_question``, since many clients know tools alone. The run is taken when a client first asks for any of these. What
a call is answered with is the text that a model of ours is shown.

The protocol of 2026-07-28 has no sessions over HTTP; its clients are told to use the one before.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from caia_replay.agents.reply_text import json_line, shown_text
from caia_replay.core.version import __version__
from caia_replay.interop.tool_server import LONGEST_BODY_BYTES, Refused, called, settled, submitted, take
from caia_replay.loopback import Receive, Send, headers_of
from caia_replay.models.external import ClientRun, Offer, RunOver
from caia_replay.runner.desk import MOST_AT_ONCE, Desk

QUESTION: Final = "caia-replay://question"
_HOW: Final = (
    "One session is one task. Read the question first, look things up with the tools, then call submit_answer, once."
)
_READ: Final = types.Tool(
    name="read_question",
    description="The question of this session, the moment it is asked at, and the form of its answer.",
    input_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
)
_SUBMIT: Final = types.Tool(
    name="submit_answer",
    description="End the session with your answer, in the form that the question asks for. It can be called once. Of a "
    "longer text, what follows FINAL ANSWER: on its last line is the answer.",
    input_schema={
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "The answer; an empty one gives up."}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
_SESSION: Final = "mcp-session-id"
_TOLD_S: Final = 60.0
"""How long a client whose run has ended may still be told so."""
_NO_VERSION: Final = -32022
"""The protocol's own: a version that the server does not speak."""

Context: TypeAlias = ServerRequestContext[Any, Any]


class McpDoor:
    """The desk before MCP clients: an ASGI application for /mcp, and ``stdio`` for one client of this process."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._runs: dict[str, ClientRun] = {}
        self._server: Server[Any] = Server(
            "caia-replay",
            version=__version__,
            instructions=_HOW,
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
            on_list_resources=self._resources,
            on_read_resource=self._resource,
        )
        self._server.middleware.clear()  # a span for each call costs a sixth of it, and nobody collects them
        self._manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            session_idle_timeout=desk.idle_s + _TOLD_S,
            max_request_body_size=LONGEST_BODY_BYTES,
            max_sessions=MOST_AT_ONCE,
        )
        self._ready: asyncio.Future[None] | None = None
        self._managing: asyncio.Task[None] | None = None
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what a client does wrong, that client is told

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request to /mcp."""
        headers = headers_of(scope)
        version = headers.get("mcp-protocol-version", HANDSHAKE_PROTOCOL_VERSIONS[-1])
        if version not in HANDSHAKE_PROTOCOL_VERSIONS:
            data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version[:40]}
            error = {"code": _NO_VERSION, "message": "this server has sessions; initialize first", "data": data}
            await _reply(send, 400, {"jsonrpc": "2.0", "id": None, "error": error})
            return
        if scope["method"] not in ("POST", "DELETE"):  # there is nothing that we would tell unasked
            await _reply(send, 405, {"error": {"type": "bad_request", "message": "MCP is spoken by POST and DELETE"}})
            return
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._managing = asyncio.create_task(self._manage(self._ready))
        await asyncio.shield(self._ready)
        known = headers.get(_SESSION, "") if scope["method"] == "DELETE" else ""
        await self._manager.handle_request(dict(scope), receive, send)
        await self._left(known, "its MCP session was closed")

    async def stdio(self) -> None:
        """Serve the one client at stdin and stdout until it closes them."""
        async with stdio_server() as (read, write):
            await self._server.run(read, write, self._server.create_initialization_options())
        await self._left("", "it closed stdin")

    async def _manage(self, ready: asyncio.Future[None]) -> None:
        async with self._manager.run():
            ready.set_result(None)
            await asyncio.Event().wait()  # until the loop ends

    async def _left(self, session: str, why: str) -> None:
        run = self._runs.get(session)
        if run is not None and run.over is None:
            await settled(run.leave(why))

    async def _offer(self, context: Context) -> tuple[ClientRun, Offer]:
        """A session's run, taken when it is first asked for. Raises ``Refused``."""
        session = "" if context.request is None else context.request.headers.get(_SESSION, "")
        run = self._runs.get(session)
        if run is None:
            run = self._runs[session] = take(self._desk)
        try:
            return run, await settled(run.offered)
        except RunOver as fault:
            raise Refused.over(fault) from None

    async def _question(self, context: Context) -> str:
        try:
            return (await self._offer(context))[1].question
        except Refused as refused:
            raise MCPError(types.INVALID_REQUEST, str(refused)) from None

    async def _tools(self, context: Context, page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            _, offer = await self._offer(context)
        except Refused as refused:
            raise MCPError(types.INVALID_REQUEST, str(refused)) from None
        tools = [
            types.Tool(name=spec.name, description=spec.description, input_schema=dict(spec.parameters))
            for spec in offer.tools
        ]
        return types.ListToolsResult(tools=[_READ, *tools, _SUBMIT])

    async def _call(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            return _text(await self._done(context, asked.name, asked.arguments or {}))
        except Refused as refused:
            return _text(str(refused), is_error=True)

    async def _done(self, context: Context, name: str, arguments: Mapping[str, Any]) -> str:
        run, offer = await self._offer(context)
        if name == _READ.name:
            return offer.question
        if name == _SUBMIT.name:
            answer = arguments.get("answer")
            if not isinstance(answer, str) or len(arguments) != 1:
                raise Refused(400, "bad_request", 'submit_answer takes {"answer": TEXT} and nothing else')
            return json_line(await submitted(self._desk, run, answer))
        try:
            text = json_line(arguments)
        except ValueError as fault:
            raise Refused(400, "bad_request", f"the arguments are no JSON: {str(fault)[:200]}") from None
        return shown_text(await called(run, name, text))

    async def _prompts(self, context: Context, _: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="question", description=_READ.description)])

    async def _prompt(self, context: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        if asked.name != "question":
            raise MCPError(types.INVALID_PARAMS, f"no prompt {asked.name!r:.80}; there is: question")
        text = types.TextContent(text=await self._question(context))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def _resources(self, context: Context, _: Any) -> types.ListResourcesResult:
        told = types.Resource(uri=QUESTION, name="question", description=_READ.description, mime_type="text/plain")
        return types.ListResourcesResult(resources=[told])

    async def _resource(self, context: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if asked.uri != QUESTION:
            raise MCPError(types.INVALID_PARAMS, f"no resource {asked.uri!r:.80}; there is: {QUESTION}")
        text = await self._question(context)
        told = types.TextResourceContents(uri=QUESTION, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[told])


def _text(text: str, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


async def _reply(send: Send, status: int, content: Mapping[str, Any]) -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
