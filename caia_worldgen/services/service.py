"""What a synthetic API is: a pure function from a request and a moment to an answer, and the application over some.

No service reads a clock: ``Services.now`` is the moment they all answer at, and it is their ``Date`` header too, so
that a recording says when it was made. One service alone answers whatever host it is called by, as a client sees it
that was pointed at its address; several are told apart by the Host header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from caia_replay.canonical import canonical_bytes
from caia_replay.loopback import Receive, Send, read_body


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. ``path`` is as sent; ``headers`` have lower-case names; of a repeated parameter the last counts."""

    method: str
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    origin: str = ""
    """``https://host`` it was sent to, as the Host header has it."""
    query: str = ""
    """The query as sent, for who reads more than its parameters."""

    def segments(self) -> list[str]:
        """The path's parts, decoded."""
        return [unquote(part) for part in self.path.split("/") if part]


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, JSON content (or ready bytes), and the vendor's own headers."""

    status: int
    content: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Service(Protocol):
    """One vendor's API."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Its canonical origins, such as ``https://api.coingecko.com``."""
        ...

    def answer(self, asked: Asked, now: int) -> Answer:
        """What it answers at ``now``, seconds since 1970 UTC; a fault of the caller's is an answer, no exception."""
        ...

    def busy(self, asked: Asked) -> Answer:
        """How it says "too many requests"."""
        ...


class Services:
    """The ASGI application. Every ``busy_every``-th request is refused once with the vendor's own "later"."""

    def __init__(self, services: Sequence[Service], now: int, busy_every: int = 0) -> None:
        self.now = now
        self._services = tuple(services)
        self._by_host = {origin.partition("://")[2]: found for found in services for origin in found.origins}
        self._busy_every = busy_every
        self._asked = 0

    @property
    def origins(self) -> tuple[str, ...]:
        """Every canonical origin that is answered for."""
        return tuple(origin for found in self._services for origin in found.origins)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope["query_string"].decode("ascii")
        host = headers.get("host", "")
        asked = Asked(
            scope["method"],
            scope["raw_path"].decode("ascii"),
            dict(parse_qsl(query, keep_blank_values=True)),
            headers,
            await read_body(receive),
            f"https://{host}",
            query,
        )
        answer = self._answer(asked, host)
        body = answer.content if isinstance(answer.content, bytes) else canonical_bytes(answer.content)
        sent = {"content-type": "application/json; charset=utf-8", "date": formatdate(self.now, usegmt=True)}
        sent |= {name.lower(): value for name, value in answer.headers.items()}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sorted(sent.items())]
        await send({"type": "http.response.start", "status": answer.status, "headers": raw})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, asked: Asked, host: str) -> Answer:
        service = self._by_host.get(host, self._services[0] if len(self._services) == 1 else None)
        if service is None:
            return Answer(404, {"error": f"nobody answers for {host}"})
        self._asked += 1
        if self._busy_every and self._asked % self._busy_every == 0:
            return service.busy(asked)
        return service.answer(asked, self.now)
