"""Playback as explicit transports: hand one to a client, and that client, and no other, reads from recordings.

Nothing is patched, so runs in threads cannot read each other's answers and nothing can reach the network. A request
that was never recorded raises ``errors.Miss`` out of ``client.get``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import httpx2

from caia_replay.cassette.recordings import Answer, Cursor, Recordings
from caia_replay.core.provider import HttpReply, HttpRequest

OnServed = Callable[[HttpRequest, HttpReply], None]


class Player:
    """What every transport does; ``on_served`` is called with each request and its reply after a hit."""

    def __init__(self, recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None) -> None:
        self._recordings = recordings
        self._cursor = cursor
        self._on_served = on_served

    def play(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[Answer, HttpReply]:
        """The recorded answer to this request, and its reply. Raises ``Miss`` when there is none."""
        answer, ids = self._recordings.find(method, url, body, self._cursor)
        reply = answer.reply_to(ids)
        if self._on_served is not None:
            self._on_served(HttpRequest(method, url, body, dict(headers)), reply)
        return answer, reply


class ReplayTransport(Player, httpx2.BaseTransport):
    """Recordings as the transport of one ``httpx2.Client``; ``cursor`` belongs to the run that owns the client."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        answer, reply = self.play(request.method, str(request.url), request.read(), request.headers)
        headers = answer.transport_headers
        if not isinstance(headers, httpx2.Headers):
            headers = answer.transport_headers = httpx2.Headers(_lines(answer))
        return httpx2.Response(reply.status, headers=headers, content=reply.body, extensions=_extensions(answer))


class LegacyReplayTransport(Player, httpx.BaseTransport):
    """The same for a client of the older ``httpx`` package."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        answer, reply = self.play(request.method, str(request.url), request.read(), request.headers)
        return httpx.Response(reply.status, headers=_lines(answer), content=reply.body, extensions=_extensions(answer))


def _lines(answer: Answer) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode("ascii"), line.encode("utf-8"))
        for name, lines in answer.interaction.headers.items()
        for line in lines
    ]


def _extensions(answer: Answer) -> dict[str, Any]:
    reason = answer.interaction.reason
    return {"reason_phrase": reason.encode("ascii")} if reason else {}
