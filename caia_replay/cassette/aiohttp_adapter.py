"""Playback for ``aiohttp``: a connector to hand to a session, and a session that has one.

Nothing is patched. aiohttp makes a connection through its connector; this one's connection is no socket but a
recorded reply, written out as the bytes a server would send. aiohttp's own parser reads them, so a reply is what
it would be from a server: redirects, streaming, cookies and errors by status are the session's own work. aiohttp
stays out of every process that does not import this module.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from aiohttp import BaseConnector, ClientRequest, ClientSession, ClientTimeout, DummyCookieJar
from aiohttp.client_proto import ResponseHandler
from aiohttp.tracing import Trace

from caia_replay.cassette.answer import Answer
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import OnServed, Player
from caia_replay.errors import BadInput

_NO_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
_HEADER_BYTES = 1024 * 1024
"""How long a recorded header may be in a session of ours; aiohttp's own bound is less than some servers send."""


class ReplayConnector(BaseConnector):
    """Recordings as the connector of one ``aiohttp.ClientSession``; to be made inside a running event loop.

    ``cursor`` belongs to the run that owns the session; ``on_served`` is called with each request and its reply after
    a hit. A request that was never recorded raises ``Miss`` out of ``session.get``. What concerns a network (proxies,
    TLS, time limits of a connection) is ignored.
    """

    def __init__(self, recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None) -> None:
        # A connection holds one reply, so it is never used again. With a limit, aiohttp draws by lot who is next.
        super().__init__(force_close=True, limit=0)
        self._player = Player(recordings, cursor, on_served)

    async def _create_connection(
        self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout
    ) -> ResponseHandler:
        # aiohttp's documentation names this method as the one that a connector of one's own overrides.
        headers = {name.lower(): value for name, value in req.headers.items()}
        answer, body = self._player.play(req.method, str(req.url), await _body(req), headers)
        if answer.status < HTTPStatus.OK:
            raise BadInput(f"status {answer.status} ends no request of aiohttp's", where=f"{req.method} {req.url}")
        loop = asyncio.get_running_loop()
        protocol = ResponseHandler(loop)
        protocol.connection_made(_Reply(loop, protocol, _on_the_wire(answer, body, req.method)))
        return protocol


def replay_client_session(
    recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None, **options: Any
) -> ClientSession:
    """A session that can only replay, to be made inside a running event loop; ``options`` are ``ClientSession``'s.

    It takes neither proxies nor credentials from the environment and keeps no cookies, since no question depends on
    them.
    """
    ours = {
        "connector": ReplayConnector(recordings, cursor, on_served),
        "cookie_jar": DummyCookieJar(),
        "trust_env": False,
    }
    limits = {"max_line_size": _HEADER_BYTES, "max_field_size": _HEADER_BYTES}
    return ClientSession(**{**limits, **options, **ours})


class _Reply(asyncio.Transport):
    """The far end of a connection: whatever is written to it, it answers once, with the bytes it was made with."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol, reply: bytes) -> None:
        super().__init__()
        self._loop = loop
        self._protocol = protocol
        self._reply = reply
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Answer, when this is the first that is heard from the client."""
        reply, self._reply = self._reply, b""
        if reply:
            self._loop.call_soon(self._answer, reply)

    def _answer(self, reply: bytes) -> None:
        if not self._closing:
            self._protocol.data_received(reply)

    def get_write_buffer_size(self) -> int:
        """Nothing is ever held back."""
        return 0

    def pause_reading(self) -> None:
        """Too late: the whole reply comes at once."""

    def resume_reading(self) -> None:
        """There is nothing more to come."""

    def is_closing(self) -> bool:
        """Whether the client has let go."""
        return self._closing

    def close(self) -> None:
        """Tell the client that the connection is gone, as a socket's transport does."""
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        """As ``close``."""
        self.close()


def _on_the_wire(answer: Answer, body: bytes, method: str) -> bytes:
    """A reply as HTTP/1.1; the answer to ``Expect: 100-continue`` is the reply itself, which the standard allows."""
    bodiless = answer.status in _NO_BODY
    head = [f"HTTP/1.1 {answer.status} {answer.reason}".encode("ascii")]
    head += [name + b": " + line for name, line in answer.lines]
    if not bodiless:
        head.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*head, b"", b"" if bodiless or method == "HEAD" else body])


async def _body(req: ClientRequest) -> bytes:
    """The request's body, whichever of its forms it has; aiohttp keeps what can be read only once."""
    body = req.body
    return bytes(body if isinstance(body, (bytes, bytearray)) else await body.as_bytes())
