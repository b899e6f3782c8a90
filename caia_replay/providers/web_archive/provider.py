"""The Wayback Machine: which captures of a page there are, and the page as it was captured.

    GET https://web.archive.org/cdx/search/cdx?url=...&output=json       captures, oldest first (web_archive_listing)
    GET https://web.archive.org/web/[<1 to 14 digits>[<flag>_]/]<url>    a capture, or the way to the nearest one

Classes in replay: HIT for a recorded capture or listing, DERIVED for what is cut or chosen out of a listing and for
the way to the nearest capture, MISS for everything else; never FORK. Of captures, those not after the world's moment
are there: the latest of them is the page as it was.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode, urlsplit

from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.endpoint import answered_at, is_of_now, reads_from, utc
from caia_replay.providers.web_archive.listing import (
    FIELDS,
    FIRST,
    CdxQuestion,
    Row,
    cdx_question,
    host_of,
    listing_body,
    page_key,
    read_listing,
)
from caia_replay.providers.web_archive.rows import CDX, digits_of, is_cdx, listings, rows_of

ORIGIN: Final = "https://web.archive.org"
HOST: Final = "web.archive.org"
_PLACE: Final = re.compile(
    r"web/(?:([0-9]{1,14})([a-z]{2}_)?/)?((?:https?:/{1,2})?[^/?#\s*]+\.[^/?#\s*]+.*)", re.DOTALL
)
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is asked for: digits of a moment (or none), how it is rewritten (``id_`` is not at all), its key."""

    digits: str
    flag: str
    url: str

    @property
    def page(self) -> str:
        """The page's address in one spelling."""
        return page_key(self.url)


def place_of(request: HttpRequest) -> Place:
    """Which page is asked for, and of when. Raises ``Miss`` for an address that is neither page nor listing."""
    try:
        url = canonical_url(request.url).text()
    except BadInput as fault:
        raise Miss("http", f"GET {request.url:.300}", "an address that cannot be read") from fault
    found = _PLACE.fullmatch(url.partition("://")[2].partition("/")[2])
    if found is None:
        raise Miss("http", f"GET {request.url:.300}", "no page of the archive")
    return Place(found[1] or "", found[2] or "", found[3])


def captured(recorded: Sequence[Recorded], asked: Place, now: int, wanted: str) -> HttpReply:
    """The page as it was at or nearest to the moment that is asked for, of captures not after ``now``.

    A capture is handed out as it is recorded; where only a listing is, the archive's way to the nearest capture is.
    Raises ``Miss``.
    """
    until = digits_of(now)
    own = [(place, found) for found in recorded if (place := _same_page(found, asked)) is not None]
    for _, found in own:
        at = _capture_moment(found.reply)
        if at and at <= until and asked.digits == at:
            return found.reply
    for place, found in own:
        made = answered_at(found.reply)
        if made is None or place.digits != asked.digits or not (made >= now or is_of_now(found, now)):
            continue
        target = moved_to(found.reply)
        at = _capture_moment(found.reply) or (place_of(HttpRequest("GET", target)).digits if target else "")
        if (len(at) == len(FIRST) and at <= until) or (found.reply.status == 404 and not at):
            return found.reply
    row = _nearest(recorded, asked, now, wanted)
    if row["timestamp"] == asked.digits:
        raise Miss("http", wanted, "this capture is listed and not recorded")
    return HttpReply(302, {"location": address_of(row, asked.flag)}, b"")


def _nearest(recorded: Sequence[Recorded], asked: Place, now: int, wanted: str) -> Row:
    """The capture that the archive leads to. Raises ``Miss`` where that is not certain.

    Whether it prefers good captures is not documented: what is nearest must be good, and alone so near.
    """
    question = CdxQuestion(asked.url, "exact")
    missed: Miss | None = None
    for listing, found in listings(recorded, now):
        try:
            rows = rows_of(listing, found, question, now, wanted)
        except Miss as miss:
            missed = missed or miss
            continue
        ways = [_closest(rows, moment) for moment in _between(asked.digits)]
        if not ways or None in ways or ways[0] != ways[-1]:
            raise Miss("http", wanted, "which capture is nearest is not certain")
        assert ways[0] is not None
        if ways[0]["statuscode"] != "200":
            raise Miss("http", wanted, "the nearest capture is no good page")
        return ways[0]
    raise missed or Miss("http", wanted, "no capture of this page, and no listing of its captures, is recorded")


def _closest(rows: Sequence[Row], moment: datetime) -> Row | None:
    """The one row nearest to a moment; None where there is none, or more than one."""
    far = sorted((abs((at - moment).total_seconds()), number) for number, row in enumerate(rows)
                 if (at := _moment(row["timestamp"])) is not None)  # fmt: skip
    if not far or len(far) != len(rows) or (len(far) > 1 and far[0][0] == far[1][0]):
        return None
    return rows[far[0][1]]


def _between(digits: str) -> list[datetime]:
    """The first and last moment that digits may mean; the end of time for none, nothing for what is no moment."""
    if not digits:
        return [datetime(9999, 12, 31, tzinfo=UTC)]
    if len(digits) < 4 or len(digits) % 2:
        return []
    first = _moment(digits + "00000101000000"[len(digits) :])
    if first is None:
        return []
    month = digits[4:6] or "12"
    days = monthrange(first.year, int(month))[1]
    last = _moment(digits + f"0000{month}{days:02d}235959"[len(digits) :])
    return [] if last is None else [first, last]


def _same_page(found: Recorded, asked: Place) -> Place | None:
    """Where a recording was asked for, if it is the same page in the same way."""
    if is_cdx(found.request):
        return None
    try:
        place = place_of(found.request)
    except Miss:
        return None
    return place if (place.page, place.flag) == (asked.page, asked.flag) else None


def _capture_moment(reply: HttpReply) -> str:
    """When what a reply shows was captured, in 14 digits; "" where it is no capture or does not say."""
    kept = answered_at(reply, "memento-datetime")
    return "" if kept is None else digits_of(kept)


def moved_to(reply: HttpReply) -> str | None:
    """The capture a reply leads to, where that is what it does."""
    target = reply.headers.get("location", "")
    if reply.status not in _MOVED or "memento-datetime" in reply.headers:
        return None
    target = ORIGIN + target if target.startswith("/web/") else target
    try:
        found = urlsplit(target).netloc.lower() == HOST and place_of(HttpRequest("GET", target)).digits
    except (ValueError, Miss):
        return None
    return target if found else None


def address_of(row: Row, flag: str) -> str:
    """Where a listed capture is."""
    return f"{ORIGIN}/web/{row['timestamp']}{flag}/{row['original']}"


def _moment(digits: str) -> datetime | None:
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


class WebArchiveProvider(Provider):
    """The provider. See docs/providers/web-archive.md for what follows from what."""

    name = "web_archive"
    authority: Authority = "open-web"

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads a listing or a capture."""
        if not reads_from(request, f"http://{HOST}", f"https://{HOST}"):
            return False
        path = urlsplit(request.url).path
        return path == CDX or path.startswith("/web/")

    def family(self, request: HttpRequest) -> str:
        """The host of the page that is asked for: a listing of all its pages tells of each."""
        if is_cdx(request):
            return host_of(cdx_question(request).url)
        return host_of(place_of(request).url)

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """All captures of the page up to ``now``; a capture, and a listing that this may not answer, as asked too."""
        until = digits_of(now)
        if not is_cdx(request):
            return (_listing_request(place_of(request).url, "exact", until), request)
        asked = cdx_question(request)
        if asked.others:
            return (request,)
        wide = _listing_request(asked.url, asked.match, until)
        return (wide, request) if asked.filters or asked.collapses or asked.shows_key or asked.resume else (wide,)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The next part of a listing; after the last one of a single page its latest good capture; a redirect's aim."""
        if not is_cdx(request):
            target = moved_to(reply)
            return None if target is None else HttpRequest("GET", target, headers=request.headers)
        asked = cdx_question(request)
        listing = read_listing(asked, reply)
        if listing is None or not asked.shows_key or asked.limit is not None:
            return None
        if listing.key:
            base = _listing_request(asked.url, asked.match, asked.last)
            url = f"{base.url}&{urlencode({'resumeKey': listing.key})}"
            return HttpRequest("GET", url, headers=request.headers)
        good = [row for row in listing.rows if row.get("statuscode") == "200"]
        if asked.match != "exact" or asked.fields != FIELDS or not good:
            return None
        return HttpRequest("GET", address_of(good[-1], "id_"), headers=request.headers)

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        wanted = f"GET {request.url:.300} at {utc(now)}"
        if is_cdx(request):
            return _listed(recorded, cdx_question(request), now, wanted)
        return captured(recorded, place_of(request), now, wanted)


def _listed(recorded: Sequence[Recorded], asked: CdxQuestion, now: int, wanted: str) -> HttpReply:
    own = [found for found in recorded if is_cdx(found.request) and cdx_question(found.request) == asked]
    missed: Miss | None = None
    for listing, found in listings(recorded, now):
        try:
            rows = rows_of(listing, found, asked, now, wanted)
        except Miss as miss:
            missed = missed or miss
            continue
        body = listing_body(rows, asked)
        for one in own:
            value = read_listing(asked, one.reply)
            if value is not None and not value.key and listing_body(value.rows, asked) == body:
                return one.reply
        kind = "application/json" if asked.is_json else "text/plain; charset=utf-8"
        return HttpReply(200, {"content-type": kind}, body)
    for found in own:
        at = answered_at(found.reply)
        if at is not None and at <= now and is_of_now(found, now):
            return found.reply
    raise missed or Miss("http", wanted, f"{len(recorded)} recordings of this host, and no listing that has it")


def _listing_request(url: str, match: str, until: str) -> HttpRequest:
    asked = {"url": url, "output": "json", "showResumeKey": "true", "to": until}
    return HttpRequest(
        "GET", f"{ORIGIN}{CDX}?{urlencode(asked if match == 'exact' else {**asked, 'matchType': match})}"
    )
