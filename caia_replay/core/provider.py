"""A remote API as data: requests, replies, and the two mirrored functions over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.tool import Authority


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as a tool makes it. ``headers`` never decide identity."""

    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply with its body decoded (no Content-Encoding left)."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Provider(Protocol):
    """One remote API. ``widen`` and ``narrow`` are pure and mirror each other:

    ``narrow(record(widen(q)), q) == live(q)`` inside the recorded coverage, ``Miss`` outside it.
    """

    name: str
    authority: Authority
    ignored_parameters: frozenset[str]

    def match(self, request: HttpRequest) -> bool:
        """Whether this provider serves the request's host and path."""
        ...

    def widen(self, request: HttpRequest) -> HttpRequest:
        """The superset worth recording, asked once by the recorder."""
        ...

    def narrow(self, recording: HttpReply, request: HttpRequest) -> HttpReply:
        """The answer to exactly ``request``, taken from the widened recording; raises ``Miss``."""
        ...
