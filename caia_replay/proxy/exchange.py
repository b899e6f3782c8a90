"""What the proxy hands to whoever answers: one request and its reply, as they stand on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.answer import HeaderLines

MISSED: Final = 501
"""The status of a reply in our own name: no vendor sends it, so that no client takes a miss for a fact."""
FAULT_HEADER: Final = "caia-replay-error"
"""Names the kind of a reply in our own name. No recorded reply has it."""
HOP_BY_HOP: Final = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers about one connection, which are not passed on (RFC 9110, section 7.6.1)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: ``url`` is absolute; header names are in lower case, in the order they came; ``body`` is whole."""

    method: str
    url: str
    lines: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def headers(self) -> Mapping[str, str]:
        """Each name once; several lines of one name are joined by commas."""
        found: dict[str, str] = {}
        for name, value in self.lines:
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: ``body`` is whole and decoded, so ``lines`` have no header that describes an encoding."""

    status: int
    lines: HeaderLines
    body: bytes


class Answerer(Protocol):
    """Who answers the proxy's requests."""

    blocks: bool
    """Whether ``answer`` waits for others, so that each request needs a thread. Where it is False, requests are
    answered one at a time."""

    def answer(self, asked: Asked) -> Reply:
        """The reply. Never raises for what a client sent."""

    def refuse(self, asked: Asked, kind: str, message: str) -> Reply:
        """Count a request that the proxy itself cannot serve, such as a WebSocket; the reply that says so."""


def own_reply(status: int, kind: str, message: str) -> Reply:
    """A reply in our own name: one line of JSON, its ``kind`` in the header ``FAULT_HEADER`` as well."""
    body = canonical_bytes({"error": {"type": kind, "message": message}})
    return Reply(status, ((b"content-type", b"application/json"), (FAULT_HEADER.encode(), kind.encode())), body)
