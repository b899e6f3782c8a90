"""Playback as explicit transports: hand one to a client, and that client, and no other, reads from recordings.

Nothing is patched, so runs in threads cannot read each other's answers and nothing can reach the network. A request
that was never recorded raises ``errors.Miss`` out of ``client.get``. An answer is at hand when it is asked for, so the
asynchronous transports never wait, and tasks of one run may share a cursor: each question is counted before another
task gets its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import httpx2

from caia_replay.cassette.answer import Answer
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.core.provider import HttpReply, HttpRequest

OnServed = Callable[[HttpRequest, HttpReply], None]


class Player:
    """What every transport does; ``on_served`` is called with each request and its reply after a hit."""

    def __init__(self, recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None) -> None:
        self._recordings = recordings
        self._cursor = cursor
        self._on_served = on_served

    def play(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[Answer, bytes]:
        """The recorded answer to this request, and the body to send. Raises ``Miss`` when there is none."""
        answer, ids = self._recordings.find(method, url, body, self._cursor, headers)
        if self._on_served is not None:
            self._on_served(HttpRequest(method, url, body, dict(headers)), answer.reply_to(ids))
        return answer, answer.body_to(ids)


class ReplayTransport(Player, httpx2.BaseTransport):
    """Recordings as the transport of one ``httpx2.Client``; ``cursor`` belongs to the run that owns the client."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        return _response(*self.play(request.method, str(request.url), request.read(), request.headers))


class LegacyReplayTransport(Player, httpx.BaseTransport):
    """The same for a client of the older ``httpx`` package."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        return _legacy_response(*self.play(request.method, str(request.url), request.read(), request.headers))


class AsyncReplayTransport(Player, httpx2.AsyncBaseTransport):
    """Recordings as the transport of one ``httpx2.AsyncClient``; ``cursor`` belongs to the run that owns the client."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        return _response(*self.play(request.method, str(request.url), await request.aread(), request.headers))


class LegacyAsyncReplayTransport(Player, httpx.AsyncBaseTransport):
    """The same for an ``AsyncClient`` of the older ``httpx`` package."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        return _legacy_response(*self.play(request.method, str(request.url), await request.aread(), request.headers))


def _response(answer: Answer, body: bytes) -> httpx2.Response:
    headers = answer.transport_headers
    if not isinstance(headers, httpx2.Headers):
        headers = answer.transport_headers = httpx2.Headers(answer.lines)
    return httpx2.Response(answer.status, headers=headers, content=body, extensions=_extensions(answer))


def _legacy_response(answer: Answer, body: bytes) -> httpx.Response:
    return httpx.Response(answer.status, headers=answer.lines, content=body, extensions=_extensions(answer))


def _extensions(answer: Answer) -> dict[str, Any]:
    """What a response of httpx or httpx2 says besides its headers: the recorded reason phrase."""
    return {"reason_phrase": answer.reason.encode("ascii")} if answer.reason else {}
