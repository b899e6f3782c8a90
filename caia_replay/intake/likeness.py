"""Which questions ask the same, in one language or in two.

Two questions of one language are one when they name the same figures, dates and addresses, when neither has a name that
the other lacks, and when their sorted words are alike (rapidfuzz). Across languages words cannot be compared. There two
questions are one when figures, dates and addresses are the same, and most names and trade terms (``terms.toml``
translates them). What says too little for that is counted, so that nobody takes silence for an answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.recording.leak import words_of

TERMS: Final = Path(__file__).with_name("terms.toml")
ALIKE: Final = 86.0
"""How alike two questions' sorted words are, 0 to 100, from which on they are one."""
SHARED: Final = 0.6
"""The share of names and terms that questions of two languages have in common, from which on they are one."""
FEWEST: Final = 3
"""Figures, names and terms that a question must have to be compared with another language."""
_HEX: Final = re.compile(r"0x[0-9a-f]{8,}", re.IGNORECASE)
_BASE58: Final = re.compile(r"\b(?=[A-Za-z]*\d)(?=\w*[A-Z])(?=\w*[a-z])[1-9A-HJ-NP-Za-km-z]{32,88}\b")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAYS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<!\d)(?P<y>20\d\d)[-/.年](?P<m>\d{1,2})(?:[-/.月](?P<d>\d{1,2})日?)?(?:月)?(?!\d)",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH.replace('(', '(?P<n>', 1)},? (?P<y>20\d\d)\b",
        rf"\b{_MONTH.replace('(', '(?P<n>', 1)} (?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? )?(?P<y>20\d\d)\b",
    )
)
_SCALES: Final = {
    **{"k": 3, "thousand": 3, "千": 3, "万": 4, "m": 6, "mn": 6, "million": 6, "百万": 6, "千万": 7},
    **{"亿": 8, "b": 9, "bn": 9, "billion": 9, "十亿": 9, "trillion": 12, "万亿": 12},
}
_FIGURE: Final = re.compile(
    r"(?<![A-Za-z0-9_.])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?"
    rf"(?: ?({'|'.join(sorted(_SCALES, key=lambda word: (-len(word), word)))})(?:(?<![a-z])|(?![a-z])))?",
    re.IGNORECASE,
)
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")


@dataclass(frozen=True, slots=True)
class Content:
    """What a question says, for comparison. ``words``: its other words, sorted, as one text; ``figures``: numbers,
    days, addresses and hashes in one form each; ``names``: what is written as a name; ``terms``: meanings of
    ``terms.toml``; ``said``: every Latin word, folded."""

    language: str
    words: str
    figures: frozenset[str]
    names: frozenset[str]
    terms: frozenset[str]
    said: frozenset[str]

    @property
    def is_comparable(self) -> bool:
        """Whether it says enough to be found in another language."""
        return len(self.figures) + len(self.names) + len(self.terms) >= FEWEST


def content_of(text: str, language: str) -> Content:
    """A question's content. Never raises."""
    figures, rest = set[str](), text
    for pattern in (_HEX, _BASE58):
        figures.update(
            found[0].lower() if found[0][:2] in ("0x", "0X") else found[0] for found in pattern.finditer(rest)
        )
        rest = pattern.sub(" ", rest)
    for pattern in _DAYS:
        figures.update(filter(None, (_day(found.groupdict()) for found in pattern.finditer(rest))))
        rest = pattern.sub(" ", rest)
    figures.update(_figure(found) for found in _FIGURE.finditer(rest))
    rest = _FIGURE.sub(" ", rest)
    terms, rest = _terms_in(rest)
    said = frozenset(word.lower() for word in _LATIN.findall(text))
    words = [word for word in words_of(rest) if word not in _table().stop]
    return Content(
        language, " ".join(sorted([*words, *terms])), frozenset(figures), _names(rest, language), frozenset(terms), said
    )


def alike(contents: Mapping[str, Content]) -> Iterator[tuple[str, str, str]]:
    """Pairs of ids that ask the same, each pair once, and how that was found: ``words`` or ``languages``.

    Raises ``BadInput`` where rapidfuzz is not installed."""
    by_figures: dict[frozenset[str], list[str]] = {}
    for name in sorted(contents):
        by_figures.setdefault(contents[name].figures, []).append(name)
    for group in by_figures.values():
        yield from _in_one_language(group, contents)
        yield from _in_two_languages(group, contents)


def _in_one_language(group: Sequence[str], contents: Mapping[str, Content]) -> Iterator[tuple[str, str, str]]:
    try:
        from rapidfuzz import fuzz, process
    except ImportError as fault:
        what = f"the library that compares questions is not installed: {fault}"
        raise BadInput(what, next_command="pip install 'caia-replay[intake]'") from None
    for language in sorted({contents[name].language for name in group}):
        ids = [name for name in group if contents[name].language == language]
        texts = [contents[name].words for name in ids]
        for at, name in enumerate(ids[:-1]):
            found = process.extract(
                texts[at], texts[at + 1 :], scorer=fuzz.ratio, processor=None, score_cutoff=ALIKE, limit=None
            )
            for _, _, place in sorted(found, key=lambda one: one[2]):
                other = ids[at + 1 + place]
                if _same_names(contents[name], contents[other]):
                    yield name, other, "words"


def _in_two_languages(group: Sequence[str], contents: Mapping[str, Content]) -> Iterator[tuple[str, str, str]]:
    known = [name for name in group if contents[name].is_comparable]
    for at, name in enumerate(known):
        mine = contents[name].names | contents[name].terms
        for other in known[at + 1 :]:
            if contents[other].language != contents[name].language:
                theirs = contents[other].names | contents[other].terms
                if mine | theirs and len(mine & theirs) >= SHARED * len(mine | theirs):
                    yield name, other, "languages"


def _same_names(one: Content, other: Content) -> bool:
    """Whether neither has a name or a term that the other does not say at all, in whatever case."""
    return one.names <= other.said and other.names <= one.said and _named(one.terms) == _named(other.terms)


def _named(terms: frozenset[str]) -> frozenset[str]:
    return terms & _table().names


def _names(text: str, language: str) -> frozenset[str]:
    """Latin words in a Chinese text; in an English one words with a capital that begin no sentence, and tickers."""
    if language != "en":
        return frozenset(word.lower() for word in _LATIN.findall(text)) - _table().stop
    found = set[str]()
    for word in _LATIN.finditer(text):
        begins = re.fullmatch(r"(?s).*[.?!:\n]\s*|\s*", text[max(0, word.start() - 4) : word.start()]) is not None
        if word[0] != word[0].lower() and (not begins or word[0][1:] != word[0][1:].lower()):
            found.add(word[0].lower())
    return frozenset(found - _table().stop)


def _terms_in(text: str) -> tuple[set[str], str]:
    """The meanings of trade terms in a text, and the text without the words for them."""
    table = _table()
    return {table.meaning[match[0].lower()] for match in table.pattern.finditer(text)}, table.pattern.sub(" ", text)


@dataclass(frozen=True, slots=True)
class _Table:
    """``pattern`` finds the words for terms; ``names`` are meanings that are names; ``stop`` words say nothing."""

    pattern: re.Pattern[str]
    meaning: Mapping[str, str]
    names: frozenset[str]
    stop: frozenset[str]


@cache
def _table() -> _Table:
    found = tomllib.loads(TERMS.read_text("utf-8"))
    things, names = found["things"], found["names"]
    meaning = {word: name for part in (things, names) for name, words in part.items() for word in words}
    ordered = sorted(meaning, key=lambda word: (-len(word), word))
    spelled = [rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])" if word.isascii() else word for word in ordered]
    pattern = re.compile("|".join(spelled), re.IGNORECASE)
    return _Table(pattern, meaning, frozenset(names), frozenset(found["stop"].split()))


def _day(parts: Mapping[str, str | None]) -> str:
    """``2024-05-01`` or ``2024-05``; empty for what is no month."""
    named = parts.get("n")
    month = _MONTHS.index(named[:3].lower()) + 1 if named else int(parts.get("m") or 0)
    if not 1 <= month <= 12:
        return ""
    day = parts.get("d")
    return f"{parts['y']}-{month:02}" + (f"-{int(day):02}" if day else "")


def _figure(found: re.Match[str]) -> str:
    value = Decimal(found[1].replace(",", "") + (found[2] or ""))
    scale = _SCALES.get((found[3] or "").lower(), 0)
    return format((value.scaleb(scale)).normalize(), "f")
