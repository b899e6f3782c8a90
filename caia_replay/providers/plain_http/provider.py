"""Plain recorded HTTP: every host that has no provider of its own, such as GitHub, Dune, Blockscout and Solana's nodes.

What such a reply proves of another request, or of another moment, nobody has written down. So a request is answered
when it was recorded itself, at the world's moment (HIT), and by nothing else: never DERIVED, otherwise a MISS.
docs/decisions/0017-plain-recorded-http.md says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import is_of_now, utc

NAME: Final = "plain_http"
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
        """See ``Provider.narrow``. Bodies are compared byte by byte: another JSON-RPC id is another request."""
        same = [found for found in recorded if found.request.body == request.body]
        for found in same:
            if is_of_now(found, now) and not _is_about_asking(found.reply.status):
                return found.reply
        where = f"{len(same)} recordings of this request, none made at this moment"
        raise Miss("http", f"{request.method} {request.url:.300} at {utc(now)}", where)


def _is_about_asking(status: int) -> bool:
    """Whether a status tells of the asking (too often, a fault, nothing new) and not of what was asked."""
    return status in (_NOT_MODIFIED, _TOO_MANY) or status >= _SERVER_ERROR
