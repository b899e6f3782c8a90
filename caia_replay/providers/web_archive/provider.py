"""The Wayback Machine: which captures of a page there are, and the page as it was captured.

    GET https://web.archive.org/cdx/search/cdx?url=...&output=json       captures, oldest first (web_archive_listing)
    GET https://web.archive.org/web/[<1 to 14 digits>[<flag>_]/]<url>    a capture, or the way to the nearest one

Classes in replay: HIT for a recorded capture or listing, DERIVED for what is cut or chosen out of a listing and for
the way to the nearest capture, MISS for everything else; never FORK. Of captures, those not after the world's moment
are there: the latest of them is the page as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, is_of_now, reads_from, utc
from caia_replay.providers.web_archive.capture import HOST, ORIGIN, address_of, captured, moved_to, place_of
from caia_replay.providers.web_archive.listing import (
    FIELDS,
    CdxQuestion,
    cdx_question,
    host_of,
    listing_body,
    read_listing,
)
from caia_replay.providers.web_archive.rows import CDX, digits_of, is_cdx, listings, rows_of


class WebArchiveProvider:
    """The provider. See docs/providers/web-archive.md for what follows from what."""

    name = "web_archive"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()
    has_other_sources = False

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
