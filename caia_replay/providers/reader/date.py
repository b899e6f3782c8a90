"""The date that the reader tells of a page, and how far it can be off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from caia_replay.core.world import Page

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
