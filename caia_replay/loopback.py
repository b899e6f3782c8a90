"""A server on loopback for one ASGI application, at a port of the system's choice unless one is named."""

from __future__ import annotations

import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from types import TracebackType
from typing import Any, Final, Protocol

import uvicorn

from caia_replay.errors import BadInput

_START_TIMEOUT_S: Final = 20.0
LONGEST_BODY_BYTES: Final = 8 * 2**20

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class App(Protocol):
    """An ASGI application that stands in for some canonical origins (``https://host``)."""

    @property
    def origins(self) -> tuple[str, ...]:
        """The canonical origins."""
        ...

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        ...


class LoopbackServer:
    """``with LoopbackServer(app) as server:`` serves until the block ends.

    Raises ``BadInput`` for a ``port`` that cannot be had; 0 lets the system choose.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", ws="none", server_header=False, date_header=False
        )
        self._app = app
        self._server = uvicorn.Server(config)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.bind(("127.0.0.1", port))
        except OSError as fault:
            self._socket.close()
            raise BadInput(f"port {port} cannot be had: {fault.strerror}", next_command="another --port") from None
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def __enter__(self) -> LoopbackServer:
        # The socket listens before the loop runs: an early request waits in its queue and is not refused.
        self._socket.listen(64)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join(_START_TIMEOUT_S)
        self._socket.close()
        if self._thread.is_alive() and fault is None:
            raise BadInput("the server did not stop", where=self.url)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def host_map(self) -> dict[str, str]:
        """The application's canonical origins, led here."""
        return dict.fromkeys(self._app.origins, self.url)


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
