"""Pages as the reader is given and tells them: addresses, captures in a web archive among them, and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from caia_replay.cassette.url import canonical_url
from caia_replay.core.world import Page
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


FIRST_PAGE_S: Final = int(datetime(1991, 8, 6, tzinfo=UTC).timestamp())
"""The first page of the web. What bears an older date (1970-01-01, 0001-01-01) bears a placeholder."""

_DAY_S: Final = 86_400
_ZONE_S: Final = 12 * 3_600
"""The clocks furthest behind UTC."""
_WEEK = re.compile(r"\d{4}-?W\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RoughlyDated(Page):
    """A page whose date tells no time, or no zone: it came out up to ``spread_s`` seconds after ``published``."""

    spread_s: int = 0

    @property
    def known_since(self) -> int | None:
        """The end of that time, or when it was first seen in it."""
        assert self.published is not None
        out = self.published + self.spread_s
        return out if self.first_seen is None else max(self.published, min(self.first_seen, out))


def page_date(content: Any) -> tuple[int | None, int]:
    """A reader's ``publishedTime``, ISO 8601 or RFC 5322, and by how many seconds the page may have come out after it.

    What it does not tell is taken for midnight and UTC. A day is over with its last second, as UTC counts days; a time
    without a zone may be one of 12 hours behind. (None, 0) for what is no date, or one of before the web.
    """
    if not isinstance(content, str):
        return None, 0
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = parse(content)
            moment = int(found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC).timestamp())
        except (ValueError, OverflowError):
            continue
        return (moment, _spread_s(content, found)) if moment >= FIRST_PAGE_S else (None, 0)
    return None, 0


def _spread_s(text: str, found: datetime) -> int:
    if found.tzinfo is not None:
        return 0
    try:
        date.fromisoformat(text)
    except ValueError:
        return _ZONE_S
    return (7 if _WEEK.fullmatch(text) else 1) * _DAY_S - 1
