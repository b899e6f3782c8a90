"""A server on loopback for one ASGI application, at a port of the system's choice unless one is named."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from types import TracebackType
from typing import Any, Final

import uvicorn

from caia_replay.errors import BadInput

_START_TIMEOUT_S: Final = 20.0
_GRACE_S: Final = 15.0
_STOP_TIMEOUT_S: Final = 2.0
"""After the grace. A thread that is still in an answer, such as a node's that never comes, ends with the process."""
_KEEP_ALIVE_S: Final = 86_400
"""Longer than any run: a connection we close just as its client writes to it would look like a fault."""
LONGEST_BODY_BYTES: Final = 8 * 2**20

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]


class LoopbackServer:
    """``with LoopbackServer(app) as server:`` serves from a daemon thread until the block ends, or until ``close``.

    Requests that are being answered at the end have ``grace_s`` to finish. Raises ``BadInput`` for a ``port`` that
    cannot be had; 0 lets the system choose.
    """

    def __init__(self, app: App, port: int = 0, *, grace_s: float = _GRACE_S) -> None:
        self._app = app
        self._server = _Server(
            uvicorn.Config(
                app,
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
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name=f"loopback-{self.port}", daemon=True
        )

    def start(self) -> LoopbackServer:
        """Serve from now on."""
        # The socket listens before the loop runs: an early request waits in its queue and is not refused.
        self._thread.start()
        return self

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
        return dict.fromkeys(getattr(self._app, "origins", ()), self.url)


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


async def read_body(receive: Receive) -> bytes | None:
    """The whole body of a request; None for one of more than ``LONGEST_BODY_BYTES``, of which no more is kept."""
    parts, length, more = list[bytes](), 0, True
    while more:
        message = await receive()
        part = message.get("body", b"")
        length += len(part)
        if length <= LONGEST_BODY_BYTES:
            parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts) if length <= LONGEST_BODY_BYTES else None


def target_of(scope: Mapping[str, Any]) -> str:
    """A request's path with its query, as sent."""
    path: str = scope["raw_path"].decode("ascii")
    query = scope["query_string"].decode("ascii")
    return f"{path}?{query}" if query else path
