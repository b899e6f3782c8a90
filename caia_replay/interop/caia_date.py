"""Dates and moments that a question names, in English and Chinese, as spans of seconds since 1970, UTC."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]{0,12}\d{3}|\d|\s*%)"
_YEAR: Final = r"(?P<year>20\d\d)(?!\d)"
_CLOCK: Final = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<half>[ap]\.?m\b\.?)?"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<!\d){_YEAR}[-/](?P<month>\d{{1,2}})[-/](?P<day>\d{{1,2}})(?!\d)(?:T|\s)\s*{_CLOCK}",
        rf"(?<!\d){_YEAR}[-/](?P<month>\d{{1,2}})[-/](?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月(?:\s*(?P<day>\d{{1,2}})\s*[日号])?",
        rf"(?<![a-z]){_MONTH}[-.\s]*{_DAY},?[-\s]+{_YEAR}(?:\s*(?:at|[-–,])?\s+{_CLOCK})?",
        rf"(?<!\d){_YEAR},?\s*{_MONTH}\.?\s*{_DAY}",
        rf"(?<!\d){_DAY}\s+{_MONTH}\.?,?\s+{_YEAR}",
        rf"(?<![a-z]){_MONTH}[\s,]+{_YEAR}",
        rf"(?<!\d){_YEAR},?\s*{_MONTH}(?![a-z])",
        rf"(?<![a-z])q(?P<quarter>[1-4])\s*(?:of\s*)?{_YEAR}",
        rf"(?<!\d){_YEAR}\s*q(?P<quarter>[1-4])(?!\d)",
        rf"(?P<half_year>first|second)\s+half\s+of\s+{_YEAR}",
        rf"(?<![a-z]){_MONTH}[-.\s]*{_DAY}",
        r"(?:as of|on|by)\s+(?P<month>\d{1,2})\.(?P<day>\d{1,2})(?![\d.%])",
        rf"(?P<last_day>\bend of)\s+{_YEAR}(?![-/])",
        rf"(?:\bin|\bduring)\s+{_YEAR}(?![-/])",
        rf"(?<!\d){_YEAR}\s*年",
    )
)
"""Tried in this order; what one has read is no part of another's."""


@dataclass(frozen=True, slots=True)
class Named:
    """A moment or period as it was named: first and last second, both inside. ``has_year``: the text says which.

    ``clock``: a time of day was named, so that ``start`` and ``end`` are that moment.
    """

    start: int
    end: int
    has_year: bool
    clock: bool
    at: int
    words: str


def named_dates(text: str, year: int) -> tuple[list[Named], list[str]]:
    """Every date ``text`` names, in its order, and the words of those that no calendar has.

    A day without a year is in the one year that the text names elsewhere; where it names none or several, in ``year``.
    """
    years = {int(found) for found in re.findall(r"(?<!\d)20\d\d(?=-|/|\D|$)", text)}
    default = years.pop() if len(years) == 1 else year
    named: list[Named] = []
    impossible: list[str] = []
    for found in _found(text):
        try:
            parts = found.groupdict()
            own = parts.get("year") is not None or default != year or str(year) in text
            start, end = _span(parts, default)
        except ValueError:
            impossible.append(found[0].strip())
            continue
        named.append(Named(start, end, own, bool(parts.get("hour")), found.start(), found[0].strip()))
    return sorted(named, key=lambda item: item.at), impossible


def _found(text: str) -> Iterator[re.Match[str]]:
    for form in _FORMS:
        for found in list(form.finditer(text)):
            yield found
            text = text[: found.start()] + "\x00" * len(found[0]) + text[found.end() :]


def _span(parts: dict[str, str | None], default_year: int) -> tuple[int, int]:
    """First and last second. Raises ``ValueError`` for what no calendar has."""
    year = int(parts.get("year") or default_year)
    if parts.get("quarter"):
        last = 3 * int(parts["quarter"] or 0)
        return _second(year, last - 2, 1), _end(year, last)
    if parts.get("half_year"):
        last = 6 if (parts["half_year"] or "").lower() == "first" else 12
        return _second(year, last - 5, 1), _end(year, last)
    if parts.get("last_day"):
        return _second(year, 12, 31), _end(year, 12)
    if not parts.get("month"):
        return _second(year, 1, 1), _end(year, 12)
    value = parts["month"] or ""
    month = int(value) if value.isdigit() else _MONTHS.index(value[:3].lower()) + 1
    if not parts.get("day"):
        return _second(year, month, 1), _end(year, month)
    day = int(parts["day"] or 0)
    if parts.get("hour"):
        moment = _second(year, month, day, _hour(parts), int(parts["minute"] or 0), int(parts.get("second") or 0))
        return moment, moment
    start = _second(year, month, day)
    return start, start + 86_399


def _hour(parts: dict[str, str | None]) -> int:
    hour, half = int(parts["hour"] or 0), (parts.get("half") or "").lower()[:1]
    if half and 1 <= hour <= 12:
        return hour % 12 + (12 if half == "p" else 0)
    return hour


def _end(year: int, month: int) -> int:
    return _second(year, month, monthrange(year, month)[1]) + 86_399


def _second(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    if not 1 <= month <= 12:
        raise ValueError(f"no month {month}")
    return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
