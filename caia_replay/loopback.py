"""A server on loopback for one ASGI application, at a port of the system's choice unless one is named.

Any page that a browser on this machine shows can send requests here. So a request is answered only if it names this
server as its host, and nothing about it says that a page of another origin sent it.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from caia_replay.errors import BadInput

_START_TIMEOUT_S: Final = 20.0
_GRACE_S: Final = 15.0
_STOP_TIMEOUT_S: Final = 2.0
"""After the grace. A thread that is still in an answer, such as a node's that never comes, ends with the process."""
_KEEP_ALIVE_S: Final = 86_400
"""Longer than any run: a connection we close just as its client writes to it would look like a fault."""
LONGEST_BODY_BYTES: Final = 8 * 2**20
_LONGEST_HEAD_BYTES: Final = 64 * 2**10
LOCAL: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
"""What a Host header calls this machine, whatever port a tunnel gave it."""
_SIMPLE: Final = frozenset(("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"))
"""The types of a body that a page may send to another origin without asking first."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server grants its clients: open connections, and seconds for one without a request, and to send one whole.

    An application sets its own as its attribute ``limits``; None grants any time.
    """

    connections: int = 10_000
    idle_s: float | None = None
    request_s: float | None = None


class BodyRefused(Exception):
    """A body that is not read to its end; the server answers with ``status``."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class BodyRoom:
    """What the bodies of all requests may take of memory together."""

    def __init__(self, most_bytes: int) -> None:
        self._free_bytes = most_bytes

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """One request's part: takes so many bytes more, or raises ``BodyRefused``; free again after the block."""
        taken = 0

        def take(count: int) -> None:
            nonlocal taken
            if count > self._free_bytes:
                raise BodyRefused(503, "too many long bodies are on their way; try again later")
            self._free_bytes -= count
            taken += count

        try:
            yield take
        finally:
            self._free_bytes += taken


class LoopbackServer:
    """``with LoopbackServer(app) as server:`` serves from a daemon thread until the block ends, or until ``close``.

    It answers for this machine and for the hosts of the application's ``origins``. An application whose ``takes_forms``
    is true gets the forms of its own pages, too. Requests that are being answered at
    the end have ``grace_s`` to finish. Raises ``BadInput`` for a ``port`` that cannot be had; 0 lets the system choose.
    """

    def __init__(self, app: App, port: int = 0, *, grace_s: float = _GRACE_S) -> None:
        self._app = app
        connection: Any = partial(_Connection, limits=getattr(app, "limits", Limits()))
        self._server = _Server(
            uvicorn.Config(
                self._answer,
                http=connection,
                interface="asgi3",
                ws="none",
                lifespan="off",
                access_log=False,
                log_config=None,
                log_level="critical",
                server_header=False,
                date_header=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
            ),
            grace_s,
        )
        try:
            self._socket = socket.create_server(("127.0.0.1", port), backlog=128)
        except OSError as fault:
            raise BadInput(f"port {port} cannot be had: {fault.strerror}", next_command="another --port") from None
        self.port: int = self._socket.getsockname()[1]
        self.fault = ""
        self._thread = threading.Thread(target=self._serve, name=f"loopback-{self.port}", daemon=True)

    def start(self) -> LoopbackServer:
        """Serve from now on."""
        # The socket listens before the loop runs: an early request waits in its queue and is not refused.
        self._thread.start()
        return self

    def _serve(self) -> None:
        try:
            self._server.run([self._socket])
        except OSError as fault:  # no descriptor is left: whoever asks here waits, and its fault can say why
            self.fault = str(fault)

    def __enter__(self) -> LoopbackServer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if not self.close() and fault is None:
            raise BadInput("the server did not stop", where=self.url)

    def close(self) -> bool:
        """Stop serving; whether the thread has ended. May be called twice."""
        if self._thread.ident is not None:
            if self._server.ready.wait(_START_TIMEOUT_S):
                self._server.stop()
            self._thread.join(self._server.grace_s + _STOP_TIMEOUT_S)
        self._socket.close()
        return not self._thread.is_alive()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def host_map(self) -> dict[str, str]:
        """The canonical origins (``https://host``) that the application stands in for, led here."""
        return dict.fromkeys(self._origins, self.url)

    @property
    def _takes_forms(self) -> bool:
        return bool(getattr(self._app, "takes_forms", False))

    @property
    def _origins(self) -> Collection[str]:
        origins: Collection[str] = getattr(self._app, "origins", ())
        return origins

    async def _answer(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope["method"], headers_of(scope))
        if refusal is None:
            try:
                await self._app(scope, receive, send)
                return
            except BodyRefused as refused:
                refusal = refused.status, str(refused)
        content = json.dumps({"error": {"type": "bad_request", "message": refusal[1]}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
        await send({"type": "http.response.start", "status": refusal[0], "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})

    def _refusal(self, method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Why a request is not for the application: a status and words."""
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        local = LOCAL.fullmatch(host) is not None
        # Any other name that leads here may be a page's own: so it would become of our origin.
        if not local and f"https://{host}" not in self._origins:
            return 421, f"nothing here is called {host!r:.80}"
        foreign = origin is not None and not (local and origin == f"http://{host}")
        if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return (
                403,
                f"no web page may ask here, and this is of {origin or 'another site'!r:.80}: send no Origin header",
            )
        # A browser names the origin of every form it sends: one that names none may be anybody's.
        own_form = self._takes_forms and origin is not None
        if method not in ("GET", "HEAD") and kind in _SIMPLE and not own_form:
            wanted = f"with the header Origin: http://{host}" if self._takes_forms else "as application/json"
            return 415, f"a body of type {kind} is refused; send it {wanted}"
        return None


class _Connection(HttpToolsProtocol):
    """uvicorn's connection, ended when it keeps the server waiting."""

    def __init__(self, *arguments: Any, limits: Limits, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._is_arriving = False
        self._head_bytes: int | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            self._end(503)
        self._wait(self._limits.request_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > _LONGEST_HEAD_BYTES:
                self._end(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_arriving, self._head_bytes = True, 0
        self._wait(self._limits.request_s)

    def on_headers_complete(self) -> None:
        self._head_bytes = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_arriving = False
        self._wait_for_next()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_arriving:
            self._wait_for_next()

    def _wait_for_next(self) -> None:
        """Nobody waits for the client while its answer is being made."""
        self._wait(self._limits.idle_s if self.cycle.response_complete else None)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._too_late)

    def _too_late(self) -> None:
        if self.flow.read_paused:  # by us
            self._wait(self._limits.request_s)
        else:
            self.transport.abort()  # without waiting for a client that does not read

    def _end(self, status: int) -> None:
        self.transport.write(STATUS_LINE[status] + b"connection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


class _Server(uvicorn.Server):
    """Sleeps until it is stopped and then ends at once, where uvicorn looks around ten times a second."""

    def __init__(self, config: uvicorn.Config, grace_s: float) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self.grace_s = grace_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve, and say so."""
        await super().startup(sockets)
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self.ready.set()

    async def main_loop(self) -> None:
        """Wait for ``stop``."""
        await self.on_tick(0)
        if self._stopped is not None:
            await self._stopped.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections; drop the idle ones now and the others when they are answered or time is up."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if self.grace_s and self.server_state.tasks:
            await asyncio.wait(set(self.server_state.tasks), timeout=self.grace_s)
        for task in list(self.server_state.tasks):
            task.cancel()
        await asyncio.sleep(0)

    def stop(self) -> None:
        """End the loop, from any thread."""
        if self._loop is not None and self._stopped is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stopped.set)


async def read_body(receive: Receive, take: Callable[[int], None] = lambda count: None) -> bytes:
    """The whole body of a request; of each part ``take``, of a ``BodyRoom``, is told first.

    Raises ``BodyRefused`` for one of more than ``LONGEST_BODY_BYTES`` and for one that ends too soon.
    """
    parts, length, more = list[bytes](), 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BodyRefused(400, "the body ended too soon")
        part = message.get("body", b"")
        length += len(part)
        if length > LONGEST_BODY_BYTES:
            raise BodyRefused(413, f"a body has at most {LONGEST_BODY_BYTES} bytes")
        take(len(part))
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """A request's headers by their names in lower case."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def target_of(scope: Mapping[str, Any]) -> str:
    """A request's path with its query, as sent."""
    path: str = scope["raw_path"].decode("ascii")
    query = scope["query_string"].decode("ascii")
    return f"{path}?{query}" if query else path
