"""Recorded listings of captures put to use: parts joined, and the rows of another question out of them.

A listing knows its window up to the moment it was made at; one that was cut knows its first rows. Captures of before
that moment that the archive took in later are not known to it: the world has the archive as it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, is_of_now
from caia_replay.providers.web_archive.listing import (
    FIRST,
    LAST,
    CdxQuestion,
    Listing,
    Row,
    cdx_question,
    chosen,
    page_key,
    read_listing,
)

CDX: Final = "/cdx/search/cdx"
"""The path of listings."""


def listings(recorded: Sequence[Recorded], now: int) -> Iterator[tuple[Listing, Recorded]]:
    """Recorded listings, parts that go on from one another joined; the nearest to ``now`` first, then the earliest
    recorded."""
    read = [(listing, found) for found in recorded if is_cdx(found.request)
            if (listing := read_listing(cdx_question(found.request), found.reply)) is not None]  # fmt: skip
    parts = {(one.question.url, one.question.match, one.question.resume): one for one, _ in read if one.question.resume}
    read.sort(key=lambda pair: abs((answered_at(pair[1].reply) or 0) - now))
    for listing, found in read:
        whole, key, seen = listing, listing.key, {""}
        while not listing.question.resume and key not in seen:
            seen.add(key)
            part = parts.get((listing.question.url, listing.question.match, key))
            is_next = part is not None and (part.question.shape, part.question.fields) == (
                listing.question.shape, listing.question.fields)  # fmt: skip
            if part is None or not is_next or (whole.rows and part.rows and _follows(part.rows[0], whole.rows[-1])):
                break
            whole = Listing(listing.question, [*whole.rows, *part.rows], listing.columns, part.key, part.is_cut)
            key = part.key
        if not listing.question.resume:
            yield whole, found


def _follows(next_row: Row, row: Row) -> bool:
    """Whether a part begins before the one it should go on from ends."""
    names = ("urlkey", "timestamp")
    return [next_row.get(name, "") for name in names] < [row.get(name, "") for name in names]


def rows_of(listing: Listing, found: Recorded, asked: CdxQuestion, now: int, wanted: str) -> list[Row]:
    """The rows of a question out of a listing. Raises ``Miss`` where it does not prove them."""
    value, made = listing.question, answered_at(found.reply)
    if asked.others or asked.resume or value.offset or (value.limit or 0) < 0 or asked.first < value.first:
        raise Miss("http", wanted, "this listing begins elsewhere")
    is_same = value.shape == asked.shape
    if not is_same and value.shape != ((), ()):
        raise Miss("http", wanted, "recorded with other filters")
    if not {"timestamp", *asked.fields} <= set(listing.columns):
        raise Miss("http", wanted, "recorded with fewer fields")
    rows = _of_page(listing, asked, wanted)
    end = min(asked.last, digits_of(now))
    if made is None:
        reach = max((row["timestamp"] for row in listing.rows), default=FIRST)
    else:
        reach = LAST if made >= now or is_of_now(found, now) else digits_of(made)
    covers = value.last >= end and reach >= end
    is_whole = covers and not listing.is_cut
    rows = [row for row in rows if asked.first <= row["timestamp"] <= end]
    if not is_same:
        rows = chosen(rows, listing.columns, asked, wanted)
    elif asked.collapses and (value.match != "exact" or asked.first > value.first):
        raise Miss("http", wanted, "neighbours that were collapsed are not recorded")
    rows = rows[asked.offset :]
    limit = asked.limit
    # Lists of one page are in the order of time: their first rows stay the first ones whatever comes later.
    if limit is not None and 0 < limit <= len(rows) and (is_whole or asked.match == "exact" or covers):
        if asked.shows_key and not (is_whole and len(rows) == limit):
            raise Miss("http", wanted, "the key to go on with is not recorded")
        return rows[:limit]
    if not is_whole:
        raise Miss("http", wanted, f"listed up to {min(reach, value.last)}{', and cut' if listing.is_cut else ''}")
    return rows if limit is None or limit > 0 else rows[limit:]


def _of_page(listing: Listing, asked: CdxQuestion, wanted: str) -> list[Row]:
    """A listing's rows, or, where it is of more than one page, those of the page that is asked for."""
    value = listing.question
    if value.match == asked.match and page_key(value.url) == page_key(asked.url):
        return list(listing.rows)
    if asked.match == "exact" and {"urlkey", "original"} <= set(listing.columns):
        page = page_key(asked.url)
        keys = {row["urlkey"] for row in listing.rows if page_key(row["original"]) == page}
        if len(keys) == 1:
            return [row for row in listing.rows if row["urlkey"] in keys]
    raise Miss("http", wanted, "this listing is of other pages")


def is_cdx(request: HttpRequest) -> bool:
    """Whether a request asks for a listing."""
    return request.url.partition("?")[0].partition("://")[2].partition("/")[2] == CDX[1:]


def digits_of(moment: int) -> str:
    """A moment in 14 digits, as captures have them; one that no calendar has is before or after all of them."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y%m%d%H%M%S").rjust(14, "0")
    except (ValueError, OverflowError, OSError):
        return LAST if moment > 0 else FIRST
