"""Playback for asynchronous clients: the transports of ``transport.py`` once more, for httpx2 and for httpx.

An answer is at hand when it is asked for, so nothing here waits, and tasks of one run may share a cursor: each
question is counted before another task gets its turn.
"""

from __future__ import annotations

import httpx
import httpx2

from caia_replay.cassette.transport import Player, extensions


class AsyncReplayTransport(Player, httpx2.AsyncBaseTransport):
    """Recordings as the transport of one ``httpx2.AsyncClient``; ``cursor`` belongs to the run that owns the client."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        answer, body = self.play(request.method, str(request.url), await request.aread(), request.headers)
        headers = answer.transport_headers
        if not isinstance(headers, httpx2.Headers):
            headers = answer.transport_headers = httpx2.Headers(answer.lines)
        return httpx2.Response(answer.status, headers=headers, content=body, extensions=extensions(answer))


class LegacyAsyncReplayTransport(Player, httpx.AsyncBaseTransport):
    """The same for an ``AsyncClient`` of the older ``httpx`` package."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; raises ``Miss`` when there is none."""
        answer, body = self.play(request.method, str(request.url), await request.aread(), request.headers)
        return httpx.Response(answer.status, headers=answer.lines, content=body, extensions=extensions(answer))
