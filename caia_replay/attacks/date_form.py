"""Days that a question names, in the ways in which other people write them."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NAME: Final = "|".join(_MONTHS)
_DAY: Final = re.compile(
    rf"(?<!\d)(?P<y1>\d{{4}})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
    rf"|\b(?P<d2>\d{{1,2}}) (?P<m2>{_NAME}) (?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_NAME}) (?P<d3>\d{{1,2}}), (?P<y3>\d{{4}})\b"
    r"|(?<!\d)(?P<y4>\d{4})\s?年\s?(?P<m4>\d{1,2})\s?月\s?(?P<d4>\d{1,2})\s?日",
    re.ASCII,
)
_ORDINAL: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def days_named(text: str) -> list[date]:
    """The days a text names, each once, in its order; what is no day of the calendar is none."""
    found: dict[date, None] = {}
    for match in _DAY.finditer(text):
        year, month, day = (
            next(value for turn in "1234" if (value := match.groupdict().get(f"{part}{turn}"))) for part in "ymd"
        )
        number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
        try:
            found[date(int(year), number, int(day))] = None
        except ValueError:
            continue
    return list(found)


def forms(day: date) -> list[str]:
    """A day as it may be written, the most usual first."""
    month = _MONTHS[day.month - 1]
    ordinal = f"{day.day}{_ORDINAL.get(day.day, 'th')}"
    return [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        day.isoformat(),
        f"{month[:3]} {day.day} {day.year}",
        f"{ordinal} of {month}",
        chinese_form(day),
    ]


def english_form(day: date) -> str:
    """Such as "17 May 2024"."""
    return forms(day)[0]


def chinese_form(day: date) -> str:
    """Such as "2024年5月17日"."""
    return f"{day.year}年{day.month}月{day.day}日"
