"""The days a text states: ISO, common English forms, Chinese, and parts of a day's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FOREIGN = {
    **{
        "enero": 1,
        "febrero": 2,
        "marzo": 3,
        "abril": 4,
        "mayo": 5,
        "junio": 6,
        "julio": 7,
        "agosto": 8,
        "septiembre": 9,
    },
    **{"setiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12, "januar": 1, "februar": 2, "märz": 3, "mai": 5},
    **{
        "juni": 6,
        "juli": 7,
        "oktober": 10,
        "dezember": 12,
        "janvier": 1,
        "février": 2,
        "mars": 3,
        "avril": 4,
        "juin": 6,
    },
    **{
        "juillet": 7,
        "août": 8,
        "septembre": 9,
        "octobre": 10,
        "novembre": 11,
        "décembre": 12,
        "janeiro": 1,
        "março": 3,
    },
    **{"fevereiro": 2, "maio": 5, "junho": 6, "julho": 7, "setembro": 9, "outubro": 10, "novembro": 11, "dezembro": 12},
    **{"gennaio": 1, "febbraio": 2, "aprile": 4, "maggio": 5, "giugno": 6, "luglio": 7, "settembre": 9, "ottobre": 10},
    **{"dicembre": 12},
}
"""Spanish, German, French, Portuguese and Italian."""
_MONTH = (
    rf"(?P<{{0}}>{'|'.join(sorted(_FOREIGN, key=lambda name: (-len(name), name)))}|"
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W\d_])\.?"
)
_HAN = "〇零一二三四五六七八九十"
_YEAR = r"(?P<{0}>\d{{4}}|[〇零一二三四五六七八九]{{4}})"
_TWO = rf"(?P<{{0}}>\d{{{{1,2}}}}|[{_HAN}]{{{{1,3}}}})"
_NTH = r"(?:st|nd|rd|th|\.)?"
_DAY = re.compile(
    r"(?<![\d.])(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)"
    rf"|(?<![a-z0-9_]){_MONTH.format('m2')}[ -]?(?:the )?(?P<d2>\d{{1,2}}){_NTH}(?:, ?| of |[ -])(?P<y2>\d{{4}})(?!\d)"
    rf"|(?<![\d.])(?P<d3>\d{{1,2}}){_NTH}[ -]?(?:day )?(?:of |de )?{_MONTH.format('m3')},?[ -]?"
    r"(?:de |del |of )?(?P<y3>\d{4})(?!\d)"
    rf"|(?<![\d{_HAN}]){_YEAR.format('y4')} ?年 ?{_TWO.format('m4')} ?月 ?{_TWO.format('d4')} ?[日号]?(?![\d{_HAN}])"
    rf"|(?<![\d.])(?P<y5>\d{{4}})[ ,-] ?{_MONTH.format('m5')}[ -](?P<d5>\d{{1,2}}){_NTH}(?![\d:])"
    r"|(?<![\w/.])(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})(?P=mark)(?P<y6>\d{4})(?![\d/]|\.\d)",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"(?<![a-z0-9_]){_MONTH.format('m1')},? (?P<y1>\d{{4}})(?!\d)"
    rf"|(?<![a-z0-9_]){_MONTH.format('m2')}[ -](?:the )?(?P<d2>\d{{1,2}}){_NTH}(?![\d:])"
    rf"|(?<![\d.:])(?P<d3>\d{{1,2}}){_NTH}[ -](?:of |de )?{_MONTH.format('m3')}(?![a-z])"
    rf"|(?<![\d{_HAN}]){_YEAR.format('y4')} ?年 ?{_TWO.format('m4')} ?月"
    rf"|(?<![\d{_HAN}]){_TWO.format('m5')} ?月 ?{_TWO.format('d5')} ?[日号]"
    r"|(?<![\d./-])(?P<y6>\d{4})-(?P<m6>\d{1,2})(?![\d./-])",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"\W*(\d{4})(\d{2})(\d{2})\W*")


@dataclass(frozen=True, slots=True)
class Day:
    """A day as stated between ``start`` and ``end``; ``days`` are all it can be (03/04/2024 is two)."""

    start: int
    end: int
    days: tuple[date, ...]


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """A month and year, or a month and day, as stated: what is left unsaid is None."""

    start: int
    end: int
    year: int | None
    month: int
    day: int | None

    def fits(self, day: date) -> bool:
        """Whether ``day`` could be meant."""
        return (self.year in (None, day.year)) and self.month == day.month and self.day in (None, day.day)


def days(text: str) -> tuple[Day, ...]:
    """Every day the cleaned ``text`` names with its year, in order; impossible ones (the 31st of April) left out."""
    if compact := _COMPACT.fullmatch(text):
        found = tuple(_day(*compact.groups()))
        return (Day(compact.start(1), compact.end(3), found),) if found else ()
    read = (Day(found.start(), found.end(), tuple(_read(found))) for found in _DAY.finditer(text))
    return tuple(day for day in read if day.days)


def parts(text: str, whole: tuple[Day, ...]) -> tuple[PartOfDay, ...]:
    """Months with a year or days without one that are no part of a ``whole`` day."""
    found = []
    for part in _PART.finditer(_blanked(text, whole)):
        named = {name[0]: value for name, value in part.groupdict().items() if value}
        month = _month(named["m"])
        if 1 <= month <= 12:
            year = _han(named["y"]) if "y" in named else None
            found.append(PartOfDay(part.start(), part.end(), year, month, _han(named["d"]) if "d" in named else None))
    return tuple(found)


def _blanked(text: str, whole: tuple[Day, ...]) -> str:
    pieces, at = [], 0
    for day in whole:
        pieces += [text[at : day.start], "|" * (day.end - day.start)]
        at = day.end
    return "".join([*pieces, text[at:]])


def _read(found: re.Match[str]) -> Iterator[date]:
    part = {name: value for name, value in found.groupdict().items() if value}
    if "a" in part:
        yield from sorted({*_day(part["y6"], part["a"], part["b"]), *_day(part["y6"], part["b"], part["a"])})
        return
    at = next(name[1] for name in part if name[0] == "y")
    yield from _day(part["y" + at], str(_month(part["m" + at])), part["d" + at])


def _month(text: str) -> int:
    low = text.lower()
    if low in _FOREIGN:
        return _FOREIGN[low]
    return MONTHS.index(low[:3]) + 1 if low[:3] in MONTHS else _han(low)


def _han(text: str) -> int:
    """A number in digits or in Chinese numerals, to ninety-nine or digit by digit; 0 for anything else."""
    if text.isascii():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return int("".join(str("零一二三四五六七八九".index(c.replace("〇", "零"))) for c in text))
    digits = [("零一二三四五六七八九".find(side) if len(side) == 1 else 0) for side in (tens or "一", ones)]
    return digits[0] * 10 + digits[1] if len(tens) < 2 and len(ones) < 2 and min(digits) >= 0 else 0


def _day(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(_han(year), _han(month), _han(day))
    except ValueError:
        return  # the thirteenth month is no reading
