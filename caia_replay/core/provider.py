"""A remote API as data: requests, replies, and the mirrored functions over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded exchange. When it was answered stands in the reply's ``date`` header, if anywhere."""

    request: HttpRequest
    reply: HttpReply


AsOfFilter = Callable[[Any, int, int], Any]
"""``(content, made, now)``: what of a reply's JSON was already so at ``now``, which lies before ``made`` (both seconds
since 1970, UTC); None where nothing was. Raises ``TypeError``, ``ValueError`` or ``LookupError`` for another shape."""


class Provider(Protocol):
    """One remote API. What is written out here is what most have in common: nothing to widen, no further page.

    ``widen`` and ``narrow`` are pure and mirror each other; ``now`` is the world's clock in seconds since 1970, UTC, at
    which ``live`` would answer too:

    ``narrow(record(widen(q, now)), q, now) == live(q)`` inside the recorded coverage, ``Miss`` outside it.

    A recording is found by its family, never by the request that widening would make of a question: what somebody
    recorded by hand, at another time or with other limits, answers whatever it provably contains.
    """

    name: str
    authority: Authority
    ignored_parameters: frozenset[str] = frozenset()
    """Query parameters that never change the answer, such as a caller's own time stamp."""
    has_other_sources: bool = False
    """Whether ``narrow`` can answer without any recording, out of recorded chain tables."""

    def match(self, request: HttpRequest) -> bool:
        """Whether this provider serves the request's host and path."""

    def family(self, request: HttpRequest) -> str:
        """What a recording must have in common with ``request`` to be able to answer it: the endpoint, and every
        parameter that is no window, page or limit. Only requests of one family are given to ``narrow`` together."""

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """What is worth recording so that ``request``, and questions like it, can be answered."""
        return (request,)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """What to record next because of ``reply``: the next page, or None when nothing is left."""
        return None

    def as_of(self, request: HttpRequest) -> AsOfFilter | None:
        """What a reply to ``request`` tells of a moment before it was made; None where it tells nothing of before."""
        return None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The answer to exactly ``request`` at ``now``, out of recordings of its family; raises ``Miss``.

        A recording that is itself the answer is handed out as it is, the same object: that is a HIT. Nothing that
        was not known at ``now`` is in what is handed out.
        """
