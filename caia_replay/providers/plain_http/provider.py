"""Plain recorded HTTP: every request that no provider of its own takes, such as GitHub's and most of a Solana node's.

What such a reply proves of another request nobody has written down. So a request is answered when it was recorded
itself (HIT), and by nothing else: never DERIVED, otherwise a MISS. What was recorded after the world's moment may tell
what came later, and is never shown. docs/decisions/0020-what-is-recorded-is-served.md says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Page
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, is_of_now, utc

NAME: Final = "plain_http"
_OK: Final = 200
_NOT_MODIFIED: Final = 304
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500


class PlainHttpProvider(Provider):
    """The provider. It matches every web address, so it is asked last."""

    name = NAME
    authority: Authority = "open-web"

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to a web address."""
        try:
            parts = urlsplit(request.url)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and bool(parts.netloc)

    def family(self, request: HttpRequest) -> str:
        """The request's method and address; bodies are compared by ``narrow``."""
        return f"{request.method} {request.url}"

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """What was recorded of this very request at the moment; else last before it; else without a ``Date``.

        Bodies are compared byte by byte: another JSON-RPC id is another request. Raises ``Miss`` where all that is
        recorded of it is of later, and says when that was.
        """
        same = [found for found in recorded if found.request.body == request.body]
        told = [(answered_at(found.reply), found) for found in same if not _is_about_asking(found.reply.status)]
        for _, found in told:
            if is_of_now(found, now):
                return found.reply
        before = [(at, found) for at, found in told if at is not None and at < now]
        if before:
            return max(before, key=lambda pair: pair[0])[1].reply
        for at, found in told:
            if at is None:
                return found.reply
        where = f"{len(same)} recordings, none that answers at this moment"
        later = min((at for at, _ in told if at is not None and at > now + AS_OF_NOW_S), default=None)
        if later is not None:
            where = f"recorded at {utc(later)}, which is after the task's moment"
        raise Miss("http", f"{request.method} {request.url:.300} at {utc(now)}", where)


def plain_page(reply: HttpReply, address: str) -> Page:
    """What an address answered as a page: its text as it came, no title, seen when the reply was made.

    Raises ``ToolError`` for a status other than 200, and ``Miss`` for a body that is no text.
    """
    if reply.status != _OK:
        raise ToolError(f"{address} answered {reply.status}")
    try:
        text = reply.body.decode("utf-8")
    except ValueError:
        raise Miss("page", address, "what was recorded of it is no text") from None
    return Page(address, "", text, None, first_seen=answered_at(reply))


def _is_about_asking(status: int) -> bool:
    """Whether a status tells of the asking (too often, a fault, nothing new) and not of what was asked."""
    return status in (_NOT_MODIFIED, _TOO_MANY) or status >= _SERVER_ERROR
