"""What was typed into the search box, read leniently: any text is a query, and none is an error.

``words``, ``"exact phrases"``, ``-word``, ``-"phrase"``, ``site:host/path``, ``author:name`` or ``from:handle``,
``since:2025-03-01`` or ``after:``, ``until:2025-04-01`` or ``before:`` (UTC; that day itself is outside), ``lang:zh``;
a minus before site, author or language leaves them out. An operator whose value cannot be read, and everything else a
search engine might know (``OR``, ``intitle:``, brackets), is read as plain words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum

from caia_replay.search.language import is_stop_word, language_tag
from caia_replay.search.site import site_place
from caia_replay.search.text import normalised, plain_numbers
from caia_replay.search.window import ALWAYS, Window, days_in, parse_day


class Operator(Enum):
    """What may stand before a colon; words that mean the same are one operator."""

    SITE = ("site",)
    AUTHOR = ("author",)
    FROM = ("from",)
    SINCE = ("since", "after")
    UNTIL = ("until", "before")
    LANG = ("lang",)


_BY_NAME = {name: operator for operator in Operator for name in operator.value}
_TOKEN = re.compile(
    rf'(-?)(?:({"|".join(_BY_NAME)}):\s?("[^"]+(?:"|$)|[^\s"]+)|"([^"]*)(?:"|$)|([^\s"]+))', re.IGNORECASE
)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"'})
# Longer queries are cut: a page pasted into the search box would cost as many terms as it has words.
_MAX_CHARS = 2_000
_MAX_PARTS = 16
_MAX_DAYS = 4


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query's parts, normalised. Several ``sites`` (``host`` or ``host/path``), ``authors`` (lower case, without @)
    or ``languages`` are alternatives; of several moments the narrowest window counts. ``days`` are those that the words
    name, by their first seconds."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    window: Window = ALWAYS
    days: tuple[int, ...] = ()
    excluded: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()
    excluded_authors: tuple[str, ...] = ()
    excluded_languages: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything positive was asked; exclusions alone ask nothing."""
        return bool(self.words or self.phrases or self.sites or self.authors or self.languages or self.window.bounded)


@dataclass(slots=True)
class _Parts:
    """One side of a query, wanted or unwanted, while it is read."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    named: dict[Operator, list[str]] = field(default_factory=dict)

    def of(self, *operators: Operator) -> tuple[str, ...]:
        """The values of operators, each once."""
        return tuple(dict.fromkeys(value for one in operators for value in self.named.get(one, ())))[:_MAX_PARTS]


def parse_query(text: str, operators: Collection[Operator] = frozenset(Operator)) -> ParsedQuery:
    """Any text as a query; names of other ``operators`` are plain words.

    Never raises; text without a letter or digit gives a query that asks nothing.
    """
    wanted, unwanted, window = _Parts(), _Parts(), ALWAYS
    for found in _TOKEN.finditer(normalised(text[:_MAX_CHARS]).translate(_QUOTES)[:_MAX_CHARS]):
        minus, name, value, phrase, word = found.groups()
        parts = unwanted if minus else wanted
        if name is not None:
            operator, stated = _BY_NAME[name.lower()], value.strip('"')
            bounds = None if minus else _bounds(operator, stated)
            if operator in operators and bounds is not None:
                window &= bounds
            elif operator in operators and (meant := _meant(operator, stated)):
                parts.named.setdefault(operator, []).append(meant)
            else:
                parts.words += _spoken([name, *stated.split()])
        elif phrase is not None:
            parts.phrases += _spoken([phrase.strip()])
        else:
            parts.words += _spoken([word])
    spoken = " ".join([*wanted.words, *wanted.phrases])
    telling = [word for word in wanted.words if not is_stop_word(word)]
    return ParsedQuery(
        words=tuple(telling if telling or wanted.phrases else wanted.words),
        phrases=tuple(wanted.phrases[:_MAX_PARTS]),
        sites=wanted.of(Operator.SITE),
        authors=wanted.of(Operator.AUTHOR, Operator.FROM),
        languages=wanted.of(Operator.LANG),
        window=window,
        days=days_in(spoken)[:_MAX_DAYS],
        excluded=tuple([*unwanted.words, *unwanted.phrases][:_MAX_PARTS]),
        excluded_sites=unwanted.of(Operator.SITE),
        excluded_authors=unwanted.of(Operator.AUTHOR, Operator.FROM),
        excluded_languages=unwanted.of(Operator.LANG),
    )


def _bounds(operator: Operator, value: str) -> Window | None:
    """The window that a moment opens or closes; None for other operators and for what is no day."""
    day = parse_day(value) if operator in (Operator.SINCE, Operator.UNTIL) else None
    if day is None:
        return None
    return Window(after=day) if operator is Operator.SINCE else Window(before=day)


def _meant(operator: Operator, value: str) -> str:
    """The value of an operator about a name, normalised; empty when it cannot be read."""
    if operator is Operator.SITE:
        return site_place(value)
    if operator is Operator.LANG:
        return language_tag(value)
    if operator in (Operator.AUTHOR, Operator.FROM) and any(char.isalnum() for char in value):
        return " ".join(value.casefold().split()).removeprefix("@")
    return ""


def _spoken(texts: list[str]) -> list[str]:
    """Those that hold a letter or digit, with plain numbers."""
    return [plain_numbers(text) for text in texts if any(char.isalnum() for char in text)]
