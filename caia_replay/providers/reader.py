"""The page reader (Jina Reader's shape): a page's readable text, by its address.

GET https://r.jina.ai/<page url>     Accept: application/json
{"code": 200, "status": 20000, "data": {"title", "description", "url", "content", "publishedTime",
 "metadata": {"lang", "author"}, "usage": {"tokens"}}}

A page is recorded whole, and perhaps several times. What it said at a moment is what was recorded last by then; where
nothing was recorded yet, a page that was out by then is what was recorded of it first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.retry_after import BUSY
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.endpoint import answered_at, utc

ORIGIN = "https://r.jina.ai"

# The reader has the whole address in its own path, where a host such as ".." would be a step upwards.
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")


class ReaderProvider:
    """Whole pages are recorded, so a recording answers exactly one address and nothing narrower.

    ``seen`` gives the moment from which other recordings show a page to be there; None where none does.
    """

    name = "reader"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()
    has_other_sources = False

    def __init__(self, seen: Callable[[str], int | None] = lambda url: None) -> None:
        self._seen = seen

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
        """The page as it was recorded last at or before ``now``; where it was not, as it was recorded first.

        Raises ``Miss`` without a recording, for a page that was not out at ``now``, for one without a date that
        nothing recorded shows by then, and for a refusal of later.
        """
        url = request.url.removeprefix(ORIGIN + "/")
        replies = [found.reply for found in recorded]
        told = [reply for reply in replies if reply.status not in BUSY] or replies
        if not told:
            raise Miss("page", url, "no recording of this page")
        versions, broken = _versions(told, url)
        since = _earliest([self._seen(url), *(page.first_seen for _, page in versions if page is not None)])
        past = [version for version in versions if (at := seen_at(version[0])) is not None and at <= now]
        first = [version for version in versions if version[1] is not None or seen_at(version[0]) is None]
        why = "the page was refused later, and nothing of before is recorded"
        for reply, page in past[-1:] or first:
            why = _hidden(page, since, now)
            if not why:
                return reply
        raise Miss("page", url, why) if versions else broken[0]


def _versions(replies: Sequence[HttpReply], url: str) -> tuple[list[tuple[HttpReply, Page | None]], list[Miss]]:
    """Replies with the pages they hold (None: a refusal), in the order of their moments, those without one last; and
    what is wrong with those that hold none."""
    found: list[tuple[HttpReply, Page | None]] = []
    broken: list[Miss] = []
    for reply in replies:
        try:
            found.append((reply, read_page(reply, url) if reply.status == 200 else None))
        except Miss as miss:
            broken.append(miss)
    found.sort(key=lambda pair: _order(seen_at(pair[0])))
    return found, broken


def _hidden(page: Page | None, since: int | None, now: int) -> str:
    """Why a recorded reply cannot be shown at ``now``; "" when it can."""
    if page is None:
        return ""
    if page.published is not None:
        return "" if page.published <= now else "the recorded page was not out yet"
    if since is None:
        return "the page has no date, and nothing recorded says since when it was there"
    return "" if since <= now else f"the page has no date and was first seen at {utc(since)}"


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
    """The page in a reader reply, first seen when the reply was given (or, by an archive, when it was kept).

    A recorded refusal (404, 451 ...) is a fact about the page and a ``ToolError``; a reply that does
    not have the reader's shape is a ``Miss``: the recording does not contain the page.
    """
    if reply.status != 200:
        raise ToolError(f"{url} answered {reply.status}")
    try:
        content = strict_json(reply.body)
        data: dict[str, Any] = content["data"]
        title, text, told = data["title"], data["content"], data.get("metadata")
        if not (isinstance(title, str) and isinstance(text, str)):
            raise TypeError("title and content must be texts")
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise Miss("page", url, "the recorded reply is not a reader reply") from fault
    author, language = (_text(told, name) for name in ("author", "lang"))
    return Page(url, title, text, _seconds(data.get("publishedTime")), "", author, language, seen_at(reply))


def page_content(page: Page) -> dict[str, Any]:
    """A page as the reader tells it; what is not known of it is left out."""
    data: dict[str, Any] = {
        "title": page.title,
        "description": "",
        "url": page.url,
        "content": page.text,
        "usage": {"tokens": len(page.text) // 4},
    }
    if page.published is not None:
        data["publishedTime"] = datetime.fromtimestamp(page.published, UTC).isoformat()
    told = {name: value for name, value in (("lang", page.language), ("author", page.author)) if value}
    if told:
        data["metadata"] = told
    return {"code": 200, "status": 20000, "data": data}


def page_reply(page: Page) -> HttpReply:
    """The reader's reply for a page."""
    return HttpReply(200, {"content-type": "application/json; charset=utf-8"}, canonical_bytes(page_content(page)))


def seen_at(reply: HttpReply) -> int | None:
    """The moment a reply shows its page at: an archive's ``memento-datetime``, else its ``date``, else None."""
    kept = reply.headers.get("memento-datetime")
    return answered_at(reply) if kept is None else answered_at(HttpReply(reply.status, {"date": kept}, b""))


def first_version(pages: Iterable[Page], seen: int | None = None) -> Page:
    """What was recorded first of one page, with the earliest moment at which any recording, or ``seen``, shows it."""
    found = sorted(pages, key=lambda page: _order(page.first_seen))
    return replace(found[0], first_seen=_earliest([seen, *(page.first_seen for page in found)]))


def _earliest(moments: Iterable[int | None]) -> int | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _order(moment: int | None) -> tuple[bool, int]:
    """By moment; what has none comes last, in its recorded order."""
    return moment is None, moment or 0


def _text(told: Any, name: str) -> str:
    value = told.get(name) if isinstance(told, dict) else None
    return value.strip() if isinstance(value, str) else ""


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
