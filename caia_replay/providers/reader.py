"""The page reader (Jina Reader's shape): a page's readable text, by its address.

GET https://r.jina.ai/<page url>     Accept: application/json
{"code": 200, "status": 20000, "data": {"title", "url", "content", "publishedTime"}}
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urldefrag, urlsplit

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.tool import Authority
from caia_replay.core.world import Page
from caia_replay.errors import Miss, ToolError

ORIGIN = "https://r.jina.ai"


class ReaderProvider:
    """Whole pages are recorded, so a recording answers exactly one address and nothing narrower."""

    name = "reader"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the reader."""
        return request.method == "GET" and request.url.startswith(ORIGIN + "/")

    def widen(self, request: HttpRequest) -> HttpRequest:
        """A page is already the widest thing the reader gives."""
        return request

    def narrow(self, recording: HttpReply, request: HttpRequest) -> HttpReply:
        """The recorded page itself."""
        return recording


def page_request(url: str) -> HttpRequest:
    """The reader's request for a page. ``ToolError`` when ``url`` is no web address."""
    return HttpRequest("GET", f"{ORIGIN}/{page_url(url)}", headers={"Accept": "application/json"})


def page_url(url: str) -> str:
    """The address a page is known by: no fragment, host in lower case, never an empty path."""
    bare = urldefrag(url.strip()).url
    try:
        parts = urlsplit(bare)
        host = parts.hostname
        port = parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https") or any(c.isspace() for c in bare):
        raise ToolError(f"{url[:200]!r} is no web address; give one such as https://example.org/page")
    return parts._replace(netloc=f"{host}:{port}" if port else host, path=parts.path or "/").geturl()


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
        except ValueError:
            continue
        return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    return None
