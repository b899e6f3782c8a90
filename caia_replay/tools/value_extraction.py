"""Figures, addresses and days in a text, each in a form that is equal wherever the same is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SCALES: Final = MappingProxyType(
    {
        **{"thousand": 10**3, "k": 10**3, "million": 10**6, "mn": 10**6, "m": 10**6, "billion": 10**9},
        **{"bn": 10**9, "b": 10**9, "trillion": 10**12, "万": 10**4, "亿": 10**8},
    }
)
_LONGEST: Final = 80
"""A number of more characters is compared as it is written."""

_GAP: Final = r"[\s\u00a0\u202f]"
_VALUE: Final = re.compile(
    rf"""
    (?<![a-z0-9_])(?P<code>(?-i:[A-Z]{{1,10}})(?!-[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}(?![0-9]))(?:-[0-9]+){{2,}})(?![a-z0-9_])
    | (?<![a-z0-9_])(?P<hex>0x[0-9a-f]{{2,}})
    | (?<![0-9])(?P<y>[0-9]{{4}})(?:[-/]|{_GAP}?年{_GAP}?)(?P<m>[0-9]{{1,2}})(?:[-/]|{_GAP}?月{_GAP}?)
      (?P<d>[0-9]{{1,2}})(?![0-9])(?:{_GAP}?[日号])?
    | (?<![a-z0-9_])(?P<month>{_MONTH})\.?{_GAP}(?P<day>[0-9]{{1,2}})(?![0-9])(?:st|nd|rd|th)?
      (?:,?{_GAP}(?P<year>[0-9]{{4}})(?![0-9]))?
    | (?<![a-z0-9_])(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?{_GAP}(?:of{_GAP})?(?P<month2>{_MONTH})(?![a-z])\.?
      (?:,?{_GAP}(?P<year2>[0-9]{{4}})(?![0-9]))?
    | (?<![0-9])(?P<time>[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)(?![0-9])
    | (?<![a-z0-9_])(?<![a-z]-)(?P<number>[-\u2212+]?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?)
      (?:{_GAP}?(?:(?P<scale>thousand|million|billion|trillion|mn|bn|k|m|b)(?![a-z0-9])|(?P<han>[万亿])))?
    """,
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_DIGITS: Final = {
    ord(wide): str(at) for at, wide in enumerate("\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
}


@dataclass(frozen=True, slots=True)
class SaidValue:
    """``text[start:end]`` says ``key``; equal keys are equal values."""

    start: int
    end: int
    key: str


def values_in(text: str) -> Iterator[SaidValue]:
    """Every value of a text, in order, none within another.

    Numbers by what they are worth, thousands and words of scale read (574.4 million is 574,400,000); days of any of the
    usual forms by the day; times of day and hexadecimal by letters. Left alone: digits that follow a letter (v0.4,
    MARE-7, QX-4821-7735), numbers in words, and names.
    """
    for found in _VALUE.finditer(text.translate(_DIGITS)):
        if found["code"]:
            continue
        yield SaidValue(found.start(), found.end(), _key(found))


def masked(text: str, is_shown: Callable[[str], bool], mask: str) -> tuple[str, int]:
    """The text with ``mask`` in place of every value whose key is not to be shown, and how many those were."""
    parts, at, count = [], 0, 0
    for value in values_in(text):
        if not is_shown(value.key):
            parts += [text[at : value.start], mask]
            at, count = value.end, count + 1
    return "".join([*parts, text[at:]]), count


def _key(found: re.Match[str]) -> str:
    if found["hex"]:
        return found["hex"].lower()
    if found["time"]:
        return found["time"].zfill(5 if found["time"].count(":") == 1 else 8)
    if found["y"]:
        return f"{found['y']}-{found['m'].zfill(2)}-{found['d'].zfill(2)}"
    month = found["month"] or found["month2"]
    if month:
        number = _MONTHS.index(month[:3].lower()) + 1
        day, year = found["day"] or found["day2"], found["year"] or found["year2"] or ""
        return f"{year}-{number:02}-{day.zfill(2)}"
    return _number(found["number"], (found["scale"] or found["han"] or "").lower())


def _number(written: str, scale: str) -> str:
    plain = written.replace(",", "").replace("\u2212", "-").removeprefix("+")
    if len(plain) > _LONGEST:
        return f"{plain}{scale}"
    return str(Fraction(Decimal(plain)) * _SCALES.get(scale, 1))
