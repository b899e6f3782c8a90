"""The words around a lie, as content farms have them: other words, days in every form, sentences that say nothing.

Groups of ``synonyms.toml`` hold words of one form each, so that a turned text still reads like a sentence most of the
time. What identifies a question (names, tickers, addresses, heights, days) is in no group and stays.

Pages are filled with sentences of ``filler.toml``. A page takes one line of an affine plane over them, so of ``VOICES``
pages any two share one sentence at most. No sentence holds a digit, which could be a truth, and none says anything of
the world.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

_HAN: Final = re.compile("[\u3400-\u9fff]")
_ARTICLE: Final = re.compile(r"\b([Aa]) (?=(?:a|e|i|o(?!ne\b))[a-z])")
_START: Final = re.compile(r"(?:^|[.?!:])\s*\Z")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH: Final = "|".join(_MONTHS)
_DAY: Final = re.compile(
    rf"(?<!\d)(?P<y1>\d{{4}})-(?P<m1>\d\d)-(?P<d1>\d\d)(?!\d)"
    rf"|\b(?P<d2>\d{{1,2}}) (?P<m2>{_MONTH}) (?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_MONTH}) (?P<d3>\d{{1,2}}), (?P<y3>\d{{4}})\b"
    r"|(?<!\d)(?P<y4>\d{4})\s?年\s?(?P<m4>\d{1,2})\s?月\s?(?P<d4>\d{1,2})\s?日",
    re.ASCII,
)
_ORDINAL: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

ORDER: Final = 7
VOICES: Final = ORDER * (ORDER + 1)
"""How many texts there are that share one sentence at most."""


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


def turned(text: str, turn: int) -> str:
    """``text`` with each word that has others replaced by the one ``turn`` places on in its group; 0 changes none."""

    def other(found: re.Match[str]) -> str:
        word = found.group()
        if not _is_plain(found):
            return word
        group = _GROUP_OF[word.casefold()]
        made = group[(group.index(word.casefold()) + turn) % len(group)]
        return made[0].upper() + made[1:] if word[0].isupper() else made

    return _ARTICLE.sub(r"\1n ", _WORDS.sub(other, text)) if turn else text


def others(text: str) -> list[str]:
    """Every other word for the words of ``text``, each once, without those that the text has."""
    have = text.casefold()
    words = [found.group().casefold() for found in _WORDS.finditer(text) if _is_plain(found)]
    return list(dict.fromkeys(other for word in words for other in _GROUP_OF[word] if other not in have))


def _is_plain(found: re.Match[str]) -> bool:
    """Whether it is no part of a name: in small letters, or capital as the first of a sentence is."""
    word = found.group()
    return word == word.casefold() or (
        word[1:] == word[1:].casefold() and _START.search(found.string[: found.start()]) is not None
    )


_LITTLE: Final = frozenset(
    ("for", "had", "is the", "made", "per", "said", "set", "was", "who", "part", "list", "have", "whole")
)
"""Words that stand for others and too often for something else."""


def _groups() -> dict[str, list[str]]:
    """The group of each word of ``synonyms.toml``: the one it stands first in, or else the first that has it."""
    table = _table("synonyms.toml")
    groups = [[word.casefold() for word in group] for group in (*table["english"], *table["chinese"])]
    found = {group[0]: group for group in groups}
    for group in groups:
        for word in group:
            found.setdefault(word, group)
    return found


_GROUP_OF: Final = _groups()


def _pattern() -> re.Pattern[str]:
    # One Chinese character stands inside too many words to be one.
    known = [word for word in _GROUP_OF if word not in _LITTLE and (len(word) > 1 or not _HAN.search(word))]
    ordered = sorted(known, key=lambda word: (-len(word), word))
    latin = "|".join(re.escape(word) for word in ordered if not _HAN.search(word))
    chinese = "|".join(re.escape(word) for word in ordered if _HAN.search(word))
    # A word between hyphens, points or slashes is part of a name or an address.
    return re.compile(rf"(?<![\w./@-])(?:{latin})(?![\w/-]|\.\w)|{chinese}", re.IGNORECASE)


_WORDS: Final = _pattern()


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


def filler(language: str, voice: int) -> list[str]:
    """The ``ORDER`` sentences of a voice in ``language`` ("en", "zh"), with ``{query}`` in some; voices repeat after
    ``VOICES``."""
    slope, start = divmod(voice % VOICES, ORDER)
    if slope == ORDER:
        places = [(start, row) for row in range(ORDER)]
    else:
        places = [(column, (slope * column + start) % ORDER) for column in range(ORDER)]
    return [SENTENCES[language][row * ORDER + column] for column, row in places]


SENTENCES: Final[Mapping[str, Sequence[str]]] = _table("filler.toml")
"""By language, ``ORDER`` times ``ORDER`` each."""
