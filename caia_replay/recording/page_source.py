"""What the open web is asked for: a page as of a past moment, and something for the local index to rank.

Of a page the archive is asked which captures there are, then the reader is given the latest good one. Only where there
is none is today's page read, and that is usable only if it says that it was out by then: an undated page may have been
written since. Of a repository's file its host says since which commit it is unchanged.

Replay never hands out the order of a search engine or a social network. So a query is asked without the model's
narrower window, up to the task's moment, once; what is found is read, and the index ranks it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import urlencode

from caia_replay.cassette.retry_after import BUSY
from caia_replay.cassette.secret import SCRUBBED
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.plain_http.repository import changed_at, file_history
from caia_replay.providers.reader.address import capture_url, is_archived, page_url
from caia_replay.providers.reader.provider import page_request, read_page, target_of, why_hidden
from caia_replay.providers.search_api.provider import search_request
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.web_archive.rows import digits_of, is_cdx, listings
from caia_replay.search.window import parse_window
from caia_replay.world.clock import utc_text

Ask = Callable[[HttpRequest], HttpReply]
"""Asks the origin and records the exchange."""

MOST_PARTS: Final = 40
"""Of one page's list of captures; the archive gives up to 150,000 in each."""
MOST_TRIED: Final = 3
"""Captures that are given to the reader, newest first, where it cannot read one."""
_NOTHING_THERE: Final = frozenset({403, 404, 451})
"""What the archive answers for pages that it does not keep, or not for everybody."""


Source = Literal["archive", "live", "none"]
"""What of a page was recorded that replay can show: a capture, the page of today, nothing."""
FIRST_RESULTS: Final = 10
"""How many of a result list's pages are read: a first page of results."""
_LISTED: Final = 20
_POSTS: Final = "https://api.x.com/2/tweets/search/all"
_KEY: Final = {"Authorization": f"Bearer {SCRUBBED}"}
_DAY_WORDS: Final = re.compile(r"\b(?:since|until|after|before):\S+", re.IGNORECASE)
_OPERATOR: Final = re.compile(r'-?(?:[a-z_]+:\S+|[#@$]\w+|"[^"]*")', re.IGNORECASE)
_LONGEST_QUERY: Final = 512
"""Characters of a query, by X's documentation of its full-archive search."""


class _NoAnswer(Exception):
    """Somebody said "later", or only a part of a list: an older capture, or today's page, would be a guess."""


def page_as_of(ask: Ask, url: str, now: int) -> Source:
    """Record the page at ``url`` as it was at ``now``, seconds since 1970, UTC.

    An address of the archive is read as it is, and is of no use if what it shows was captured later. Raises
    ``ToolError`` for what is no web address, and whatever ``ask`` raises; only a ``Miss`` about the list of captures,
    or about one of them, is taken for there being none.
    """
    address = page_url(url)
    try:
        if is_archived(address):
            return "archive" if _is_shown(ask, address, now) else "none"
        captures = _captures(ask, address, now)
        if captures:
            return "archive" if any(_is_kept(ask, capture, now) for capture in captures) else "none"
        return "live" if _is_shown(ask, address, now, _unchanged_since(ask, address)) else "none"
    except _NoAnswer:
        return "none"


def _unchanged_since(ask: Ask, address: str) -> int | None:
    """Since when a repository's file is as it is today; None for any other page, and where nobody says."""
    history = file_history(address)
    try:
        return None if history is None else changed_at(ask(history))
    except (Miss, ToolError):
        return None


def _captures(ask: Ask, url: str, now: int) -> list[str]:
    """The latest good captures of a page up to ``now``, newest first, as addresses to be tried."""
    provider = WebArchiveProvider()
    until = digits_of(now)
    request: HttpRequest | None = provider.widen(HttpRequest("GET", capture_url(url, until)), now)[0]
    parts: list[Recorded] = []
    while request is not None and is_cdx(request):
        if len(parts) == MOST_PARTS:
            raise _NoAnswer
        try:
            reply = ask(request)
        except Miss:
            return []  # not kept
        if reply.status in BUSY:
            raise _NoAnswer
        if reply.status in _NOTHING_THERE:
            return []
        parts.append(Recorded(request, reply))
        request = provider.follow(request, reply)
    whole = next((listing for listing, _ in listings(parts, now)), None)
    if whole is None or whole.is_cut:
        raise _NoAnswer
    rows = [row for row in whole.rows if row["statuscode"] == "200" and row["timestamp"] <= until]
    by_digest = {row["digest"]: row["timestamp"] for row in rows}  # of equal bodies the latest, tried once
    return [capture_url(url, moment) for moment in sorted(by_digest.values(), reverse=True)[:MOST_TRIED]]


def _is_kept(ask: Ask, capture: str, now: int) -> bool:
    try:
        return _is_shown(ask, capture, now)
    except Miss:
        return False


def _is_shown(ask: Ask, url: str, now: int, since: int | None = None) -> bool:
    """Have a page read; whether replay can show it at ``now``. ``since``: from when on it is known to be as it is."""
    request = page_request(url)
    reply = ask(request)
    if reply.status in BUSY:
        raise _NoAnswer
    try:
        page = read_page(reply, target_of(request))
    except (ToolError, Miss):
        return False
    seen = min((at for at in (since, page.first_seen) if at is not None), default=None)
    return not why_hidden(page, is_archived(url), seen, now)


def web_question(query: str, tbs: str, now: int) -> HttpRequest:
    """The search API's request for pages up to ``now``, in the window that ``tbs`` names if it can be read."""
    window = parse_window(tbs, now)
    first = None if window is None else window.after
    last = now if window is None or window.before is None else min(now, window.before)
    bounds = [f"cd_min:{_american(first)}"] if first is not None else []
    return search_request(query, _LISTED, tbs=",".join(["cdr:1", *bounds, f"cd_max:{_american(last)}"]))


def posts_question(query: str, now: int) -> HttpRequest:
    """The social network's request for posts up to ``now``: any of the plain words, all of the operators.

    ``conversation:N`` asks for a thread. Windows in words are left to the index.
    """
    found = re.fullmatch(r"conversation:([0-9]{1,19})", query)
    text = f"conversation_id:{found[1]}" if found else _in_their_words(_DAY_WORDS.sub(" ", query))
    asked = {"query": text, "end_time": utc_text(now), "max_results": "100"}
    return HttpRequest("GET", f"{_POSTS}?{urlencode(asked)}", headers=_KEY)


def _in_their_words(query: str) -> str:
    operators = _OPERATOR.findall(query)
    words = [word for word in _OPERATOR.sub(" ", query).split() if any(char.isalnum() for char in word)]
    plain = " OR ".join(words)
    text = " ".join([*operators, *([f"({plain})" if len(words) > 1 else plain] if words else [])])
    return text[:_LONGEST_QUERY].rpartition(" OR ")[0] + ")" if len(text) > _LONGEST_QUERY else text


def _american(moment: int) -> str:
    day = datetime.fromtimestamp(moment, UTC)
    return f"{day.month}/{day.day}/{day.year}"
