"""Days of the week that a text names, which must be those of its dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from datetime import date

from caia_replay.scoring.answer import standing

_LONG = (
    ("monday", "montag", "lunes", "lundi"),
    ("tuesday", "dienstag", "martes", "mardi"),
    ("wednesday", "mittwoch", "miércoles", "mercredi"),
    ("thursday", "donnerstag", "jueves", "jeudi"),
    ("friday", "freitag", "viernes", "vendredi"),
    ("saturday", "samstag", "sábado", "samedi"),
    ("sunday", "sonntag", "domingo", "dimanche"),
)
_NUMBER = {name: number for number, names in enumerate(_LONG) for name in names}
_SHORT = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_SHORTS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HAN = {**{name: number for number, name in enumerate("一二三四五六日")}, "天": 6}
_WEEKDAY = re.compile(
    rf"\b(?P<long>{'|'.join(_NUMBER)})\b"
    rf"|\b(?P<short>{_SHORT})\b(?=[.,)\]]|\s+\d|\s+(?:the\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
    r"|(?:星期|礼拜|禮拜|週|(?<![每一两二三四五六七八九十几\d上下本])周)(?P<han>[一二三四五六日天])(?![次个年期届二三四五六七八九十])",
    re.IGNORECASE,
)


def other_weekday(text: str, days: Set[date]) -> str:
    """The first weekday the cleaned ``text`` names and stands by that is of none of the ``days``, or an empty text."""
    found = list(_named(text))
    fitting = {day.weekday() for day in days}
    own = standing(text, [span for span, _ in found])
    return next((text[span[0] : span[1]] for (span, day), kept in zip(found, own) if kept and day not in fitting), "")


def _named(text: str) -> Iterator[tuple[tuple[int, int], int]]:
    for found in _WEEKDAY.finditer(text):
        if found["long"]:
            yield found.span(), _NUMBER[found["long"].lower()]
        elif found["short"]:
            yield found.span(), _SHORTS.index(found["short"][:3].lower())
        else:
            yield found.span(), _HAN[found["han"]]
