"""Addresses of pages as the reader is given them, captures in a web archive among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from caia_replay.cassette.url import canonical_url
from caia_replay.errors import BadInput, ToolError

ARCHIVE: Final = "web.archive.org"
_PLACE: Final = r"https?://(?:(?:web|wayback|www)\.)?archive\.org\.?/web/"
CAPTURE_PREFIX: Final = _PLACE + r"[0-9]{14}(?:[a-z]{2}_)?/"
"""What stands before the page's own address in that of a capture."""

# The reader has the whole address in its own path, where a host such as ".." would be a step upwards.
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")
_ARCHIVED = re.compile(_PLACE + ".*", re.DOTALL)
_CAPTURE = re.compile(_PLACE + r"([0-9]{14})(?:[a-z]{2}_)?/(?:(https?):/{1,2})?(.+)", re.DOTALL)
_FIRST_YEAR: Final = 1996
"""Of the archive's captures."""


@dataclass(frozen=True, slots=True)
class Capture:
    """An archived page: its own address, and the moment it was captured at, in seconds since 1970, UTC."""

    url: str
    moment: int


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


def capture_of(url: str) -> Capture | None:
    """What an archive's address captures; None for one that is not a capture of one second."""
    if not is_archived(url):
        return None
    try:
        found = _CAPTURE.fullmatch(page_url(url))
        if found is None:
            return None
        moment = datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        page = page_url(f"{found[2] or 'http'}://{found[3]}")
        return Capture(page, int(moment.timestamp())) if moment.year >= _FIRST_YEAR else None
    except (ToolError, ValueError):
        return None


def capture_url(url: str, digits: str) -> str:
    """Where an archive has a page as it was captured at a moment (14 digits), with nothing rewritten in it."""
    return f"https://{ARCHIVE}/web/{digits}id_/{url}"


def is_archived(url: str) -> bool:
    """Whether an address leads into the archive: to a capture, or to wherever it thinks best."""
    if "archive.org" not in url.lower():  # true of nearly all addresses, and much cheaper
        return False
    try:
        return _ARCHIVED.fullmatch(page_url(url)) is not None
    except ToolError:
        return False
