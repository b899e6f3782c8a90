"""The page reader (Jina Reader's shape): a page's readable text, by its address.

GET https://r.jina.ai/<page url>     Accept: application/json
{"code": 200, "status": 20000, "data": {"title", "url", "content", "publishedTime"}}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, Miss, ToolError

ORIGIN = "https://r.jina.ai"

# The reader has the whole address in its own path, where a host such as ".." would be a step upwards.
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")


class ReaderProvider:
    """Whole pages are recorded, so a recording answers exactly one address and nothing narrower."""

    name = "reader"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()
    has_other_sources = False

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the reader."""
        return request.method == "GET" and request.url.startswith(ORIGIN + "/")

    def family(self, request: HttpRequest) -> str:
        """The page's address."""
        return request.url

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """A page is already the widest thing the reader gives."""
        return (request,)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """Pages come whole."""
        return None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The recorded page itself. Raises ``Miss`` without one, and for a page that was not out at ``now``."""
        url = request.url.removeprefix(ORIGIN + "/")
        if not recorded:
            raise Miss("page", url, "no recording of this page")
        reply = recorded[0].reply
        published = read_page(reply, url).published if reply.status == 200 else None
        if published is not None and published > now:
            raise Miss("page", url, "the recorded page was not out yet")
        return reply


def page_request(url: str) -> HttpRequest:
    """The reader's request for a page. ``ToolError`` when ``url`` is no web address."""
    return HttpRequest("GET", f"{ORIGIN}/{page_url(url)}", headers={"Accept": "application/json"})


def page_url(url: str) -> str:
    """The address a page is known by: one spelling of scheme, host, port and path, the query as it is.

    No user, no fragment, no dot segments: a path that climbs stays on its own host, as in a browser.
    """
    address, _, query = url.strip().partition("#")[0].partition("?")
    try:
        place = canonical_url(address)
    except BadInput:
        place = None
    readable = address.isprintable() and query.isprintable() and " " not in address + query
    if place is None or not readable or not _HOST.fullmatch(place.host):
        raise ToolError(f"{url[:200]!r} is no web address; give one such as https://example.org/page")
    return f"{place.text()}?{query}" if query else place.text()


def read_page(reply: HttpReply, url: str) -> Page:
    """The page in a reader reply.

    A recorded refusal (404, 451 ...) is a fact about the page and a ``ToolError``; a reply that does
    not have the reader's shape is a ``Miss``: the recording does not contain the page.
    """
    if reply.status != 200:
        raise ToolError(f"{url} answered {reply.status}")
    try:
        content = strict_json(reply.body)
        data: dict[str, Any] = content["data"]
        title, text = data["title"], data["content"]
        if not (isinstance(title, str) and isinstance(text, str)):
            raise TypeError("title and content must be texts")
        return Page(url, title, text, _seconds(data.get("publishedTime")))
    except (ValueError, KeyError, TypeError) as fault:
        raise Miss("page", url, "the recorded reply is not a reader reply") from fault


def _seconds(published: Any) -> int | None:
    """Reader dates are ISO 8601 or RFC 5322; one that is neither counts as undated."""
    if not isinstance(published, str) or not published:
        return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(published)
            return int(moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).timestamp())
        except (ValueError, OverflowError):
            continue
    return None
