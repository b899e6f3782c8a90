"""When candles open: the vendor's intervals as a grid of moments, in milliseconds since 1970, UTC.

Candles open at whole steps since 1970, weeks on Monday, months on the first; a time zone moves the whole grid. That
three-day candles count from 1970 is this module's reading of recorded ones: nothing is put together from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_SECOND: Final = 1_000
_MINUTE: Final = 60 * _SECOND
HOUR_MS: Final = 60 * _MINUTE
DAY_MS: Final = 24 * HOUR_MS
_MONDAY: Final = 4 * DAY_MS
"""1970 began on a Thursday."""

STEPS_MS: Final = {
    "1s": _SECOND,
    **{f"{count}m": count * _MINUTE for count in (1, 3, 5, 15, 30)},
    **{f"{count}h": count * HOUR_MS for count in (1, 2, 4, 6, 8, 12)},
    "1d": DAY_MS,
    "3d": 3 * DAY_MS,
    "1w": 7 * DAY_MS,
    "1M": 0,
}
"""Every interval of the vendor's; a month has no fixed length."""

_MONTH_MS: Final = 31 * DAY_MS
_ZONE: Final = re.compile(r"([+-]?)(\d{1,2})(?::(\d{2}))?", re.ASCII)
_WEST_MINUTES: Final = -12 * 60
_EAST_MINUTES: Final = 14 * 60


@dataclass(frozen=True, slots=True)
class Interval:
    """One grid. ``zone_ms`` is how far the zone's clock is ahead of UTC."""

    name: str
    zone_ms: int = 0

    @property
    def longest_ms(self) -> int:
        """The length of a candle, or the longest one."""
        return STEPS_MS[self.name] or _MONTH_MS

    @property
    def is_sure(self) -> bool:
        """Whether it is known beyond recordings where its candles open."""
        return self.name != "3d"

    def is_made_of(self, small: Interval) -> bool:
        """Whether shorter candles lie in these without one on both sides of an opening, and that is known for sure."""
        if not (self.is_sure and small.is_sure and STEPS_MS[small.name]) or small.longest_ms >= self.longest_ms:
            return False
        # Months open at midnights: whatever divides a day divides them.
        step, opening = STEPS_MS[self.name] or DAY_MS, self.floor(0)
        return step % STEPS_MS[small.name] == 0 and small.floor(opening) == opening

    def floor(self, moment: int) -> int:
        """The newest opening at a moment, or at it."""
        step, local = STEPS_MS[self.name], moment + self.zone_ms
        if not step:
            day = datetime.fromtimestamp(local // _SECOND, UTC)
            return _month(day.year * 12 + day.month - 1) - self.zone_ms
        anchor = _MONDAY if self.name == "1w" else 0
        return (local - anchor) // step * step + anchor - self.zone_ms

    def next(self, opening: int) -> int:
        """The opening after the one at or before ``opening``."""
        step = STEPS_MS[self.name]
        if step:
            return self.floor(opening) + step
        day = datetime.fromtimestamp((opening + self.zone_ms) // _SECOND, UTC)
        return _month(day.year * 12 + day.month) - self.zone_ms

    def ceil(self, moment: int) -> int:
        """The first opening at a moment or after it."""
        below = self.floor(moment)
        return below if below == moment else self.next(below)


def interval_of(name: str, zone: str = "0") -> Interval | None:
    """The grid of an interval in a zone such as ``0``, ``-1:00`` or ``05:45``; None for what is neither."""
    found = _ZONE.fullmatch(zone.strip())
    if name not in STEPS_MS or found is None:
        return None
    minutes = (int(found[2]) * 60 + int(found[3] or 0)) * (-1 if found[1] == "-" else 1)
    if int(found[3] or 0) > 59 or not _WEST_MINUTES <= minutes <= _EAST_MINUTES:
        return None
    return Interval(name, minutes * _MINUTE)


def _month(number: int) -> int:
    """The first moment of a month, counted from the year 0."""
    return int(datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC).timestamp()) * _SECOND
