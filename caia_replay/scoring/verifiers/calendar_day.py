"""The days and clock times a text states: ISO, common English forms, Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH: Final = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = re.compile(
    r"(?<![\d.])(?P<y1>\d{4})(?P<sep>[-/.])(?P<m1>\d{1,2})(?P=sep)(?P<d1>\d{1,2})(?!\d)"
    r"|(?<![\d.])(?P<y2>20\d\d)(?P<m2>0[1-9]|1[0-2])(?P<d2>0[1-9]|[12]\d|3[01])(?![\d.])"
    rf"|(?<![\w.])(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[ -]{_MONTH.format('m3')}"
    r"(?:,?\s|-)\s?(?P<y3>\d{4})(?!\d)"
    rf"|(?<![\w.]){_MONTH.format('m4')}[\s-]?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+|-)(?P<y4>\d{{4}})(?!\d)"
    rf"|(?<![\d.])(?P<y5>\d{{4}})[ -]{_MONTH.format('m5')}[ -](?P<d5>\d{{1,2}})(?!\d)"
    r"|(?P<y6>\d{4}|[〇零一二三四五六七八九]{4})\s?年\s?(?P<m6>\d{1,2}|[一二三四五六七八九十]{1,2})\s?月"
    r"\s?(?P<d6>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号]?"
    r"|(?<![\d./])(?P<a7>\d{1,2})(?P<sep7>[/.-])(?P<b7>\d{1,2})(?P=sep7)(?P<y7>\d{4})(?!\d)",
    re.IGNORECASE,
)
_WEEKDAY: Final = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|s?day|nesday|rsday|urday)?\b\.?,?|(?:星期|周)([一二三四五六日天])",
    re.IGNORECASE,
)
CLOCK: Final = re.compile(
    r"(?<![\d:])(?P<beijing>北京时间\s?)?T?(?P<h>\d{1,2})(?::(?P<m>\d\d)(?::(?P<s>\d\d)(?:\.0+)?)?|[时点]\s?(?P<m2>\d{1,2})\s?分(?:\s?(?P<s2>\d{1,2})\s?秒)?)"
    r"(?![\d:])(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"(?:\s?(?:at |in )?\(?(?P<zone>(?:UTC|GMT)?\s?[+-]\s?\d{1,2}(?::?\d\d)?|\+?UTC|GMT|Z"
    r"|[A-Z]{3,4}(?<=ST|DT|ET|GT|KT))\b\)?)?",
    re.IGNORECASE,
)
_HAN: Final = {c: at for at, c in enumerate("零一二三四五六七八九")} | {"〇": 0}


PARTLY: Final = re.compile(
    rf"{_MONTH.format('m')}\s?\d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH.format('n')}"
    r"|(?<!年)\d{1,2}\s?月\s?\d{1,2}\s?[日号]",
    re.IGNORECASE,
)
"""A day without its year."""


@dataclass(frozen=True, slots=True)
class Day:
    """What stands from ``start`` to ``end`` and may mean each of ``days``: two for 03/04/2024, none for no day."""

    start: int
    end: int
    days: tuple[date, ...]


def days(text: str) -> list[Day]:
    """Every day of a cleaned text, in order."""
    found = []
    for one in _DAY.finditer(text):
        part = {name[0]: value for name, value in one.groupdict().items() if value and not name.startswith("sep")}
        if "a" in part:
            ends = (_number(part["a"]), _number(part["b"]))
            pairs = {ends, ends[::-1]} if one["sep7"] != "." else {ends}
            meant = [_day(_number(part["y"]), month, day) for day, month in sorted(pairs)]
        else:
            low = part["m"].casefold()[:3]
            month = MONTHS.index(low) + 1 if low in MONTHS else _number(part["m"])
            meant = [_day(_number(part["y"]), month, _number(part["d"]))]
        found.append(Day(one.start(), one.end(), tuple(day for day in meant if day is not None)))
    return found


def weekdays(text: str) -> list[tuple[int, int, int]]:
    """Every weekday: where it stands, and its number from Monday, 0."""
    return [
        (one.start(), one.end(), WEEKDAYS.index(one[1].casefold()) if one[1] else "一二三四五六日天".index(one[2]) % 7)
        for one in _WEEKDAY.finditer(text)
        if not (one[2] == "天" or (one[1] and one[1].casefold() == "sat" and len(one[0]) < 3))
    ]


def _number(text: str) -> int:
    if text.isdigit() and text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * _HAN.get(tens, 1) + _HAN.get(ones, 0)
    return int("".join(str(_HAN.get(c, 0)) for c in text))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
