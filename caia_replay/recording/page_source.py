"""Where a page of a past moment is recorded from: an archive's latest capture by then, or the page of today.

The archive is asked which captures there are, then the reader is given the latest good one. Only where there is none
is today's page read, and that is usable only if it says that it was out by then: an undated page may have been written
since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from caia_replay.cassette.retry_after import BUSY
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import utc
from caia_replay.providers.reader.address import capture_url, is_archived, page_url
from caia_replay.providers.reader.provider import page_request, read_page, target_of, why_hidden
from caia_replay.providers.web_archive.listing import Row
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.web_archive.rows import digits_of, is_cdx, listings

Ask = Callable[[HttpRequest], HttpReply]
"""Asks the origin and records the exchange."""

MOST_PARTS: Final = 40
"""Of one page's list of captures; the archive gives up to 150,000 in each."""
MOST_TRIED: Final = 3
"""Captures that are given to the reader, newest first, where it cannot read one."""
_NOTHING_THERE: Final = frozenset({403, 404, 451})
"""What the archive answers for pages that it does not keep, or not for everybody."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """What was recorded of ``url`` for a moment.

    ``archive``: a capture of ``captured`` (seconds since 1970, UTC); ``live``: the page of today, which was out by
    then; ``none``: nothing that replay can show then. ``reason`` says why it is not a capture; ``asked`` are the
    requests made, in order.
    """

    url: str
    source: Literal["archive", "live", "none"]
    captured: int | None
    reason: str
    asked: tuple[HttpRequest, ...]


class _NoPage(Exception):
    """There is nothing to record; the text says why."""


class _Later(_NoPage):
    """Somebody said "later": what an older capture shows is then no answer."""


def page_as_of(ask: Ask, url: str, now: int) -> PageSource:
    """Record the page at ``url`` as it was at ``now``, seconds since 1970, UTC.

    An address of the archive is read as it is, and is of no use if what it shows was captured later. Raises
    ``ToolError`` for what is no web address, and whatever ``ask`` raises; only a ``Miss`` about the list of captures,
    or about one of them, is taken for there being none.
    """
    address = page_url(url)
    asked: list[HttpRequest] = []

    def value(request: HttpRequest) -> HttpReply:
        asked.append(request)
        return ask(request)

    source: Literal["archive", "live"] = "archive"
    reason = ""
    try:
        if is_archived(address):
            captured = _read(value, address, now)
        else:
            rows, reason = _captures(value, address, now)
            if rows:
                captured = _read_latest(value, address, rows, now)
            else:
                source = "live"
                captured = _read(value, address, now)
    except _NoPage as why:
        words = f"{reason}; the page of today {why}" if source == "live" else f"the page {why}"
        return PageSource(address, "none", None, words, tuple(asked))
    return PageSource(address, source, captured if source == "archive" else None, reason, tuple(asked))


def _captures(ask: Ask, url: str, now: int) -> tuple[list[Row], str]:
    """The good captures of a page up to ``now``, oldest first; where there are none, why."""
    provider = WebArchiveProvider()
    until = digits_of(now)
    request: HttpRequest | None = provider.widen(HttpRequest("GET", capture_url(url, until)), now)[0]
    parts: list[Recorded] = []
    while request is not None and is_cdx(request):
        if len(parts) == MOST_PARTS:
            raise _NoPage(f"is captured more often than {MOST_PARTS} lists tell")
        try:
            reply = ask(request)
        except Miss as miss:
            return [], f"the archive's list of captures is not kept ({miss.detail.where})"
        if reply.status in BUSY:
            raise _Later(f"has an archive that answered {reply.status}: ask again later")
        if reply.status in _NOTHING_THERE:
            return [], f"the archive has nothing of it (status {reply.status})"
        parts.append(Recorded(request, reply))
        request = provider.follow(request, reply)
    whole = next((listing for listing, _ in listings(parts, now)), None)
    if whole is None or whole.is_cut:
        raise _NoPage("has a list of captures that cannot be read to its end")
    rows = [row for row in whole.rows if row["statuscode"] == "200" and row["timestamp"] <= until]
    return rows, "" if rows else f"the archive has no capture of it up to {utc(now)}"


def _read_latest(ask: Ask, url: str, rows: Sequence[Row], now: int) -> int:
    """Have the latest capture read that the reader can read; its moment."""
    by_digest = {row["digest"]: row for row in rows}  # of equal bodies the latest: what cannot be read is tried once
    latest = sorted(by_digest.values(), key=lambda row: row["timestamp"])[-MOST_TRIED:]
    whys: list[str] = []
    for row in reversed(latest):
        try:
            return _read(ask, capture_url(url, row["timestamp"]), now)
        except _Later:
            raise
        except _NoPage as why:
            whys.append(f"the capture of {row['timestamp']} {why}")
        except Miss as miss:
            whys.append(f"the capture of {row['timestamp']} is not kept ({miss.detail.where})")
    raise _NoPage(f"is captured {len(rows)} times by then, and {'; '.join(whys)}")


def _read(ask: Ask, url: str, now: int) -> int:
    """Have a page read that replay can show at ``now``; since when it is known to be as it is. Raises ``_NoPage``."""
    request = page_request(url)
    reply = ask(request)
    if reply.status in BUSY:
        raise _Later(f"was not read, the reader answered {reply.status}: ask again later")
    try:
        page = read_page(reply, target_of(request))
    except ToolError as fault:
        raise _NoPage(f"cannot be read ({fault})") from None
    except Miss as miss:
        raise _NoPage(miss.detail.where) from None
    why = why_hidden(page, is_archived(url), page.first_seen, now)
    if why:
        raise _NoPage(f"is {why}")
    known = page.known_since if page.first_seen is None or page.first_seen > now else page.first_seen
    assert known is not None
    return known
