"""What was typed into the search box, read leniently: any text is a query, and none is an error.

``words``, ``"exact phrases"``, ``-word``, ``-"phrase"``, ``site:host/path``, ``-site:host``. Everything else a search
engine might know (``OR``, ``intitle:``, brackets) is read as plain words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from caia_replay.search.document import normalised, site_place

_TOKEN = re.compile(r'(-?)(?:site:\s?([^\s"]+)|"([^"]*)(?:"|$)|([^\s"]+))', re.IGNORECASE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"'})
# Longer queries are cut: a page pasted into the search box would cost as many terms as it has words.
_MAX_CHARS = 2_000

# Left out of a query that has other words: they stand on every page and would make every page a result.
_STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "did", "do", "does", "for", "from", "had", "has", "have",
    "how", "i", "if", "in", "into", "is", "it", "its", "my", "of", "on", "or", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "to", "was", "were", "what", "when", "where", "which", "who", "whom", "why",
    "will", "with", "you", "your",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query's parts, normalised. ``sites`` are alternatives (any of them), as ``host`` or ``host/path``."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything positive was asked; exclusions alone ask nothing."""
        return bool(self.words or self.phrases or self.sites)


def parse_query(text: str) -> ParsedQuery:
    """Any text as a query. Never raises; text without a letter or digit gives a query that asks nothing."""
    words: list[str] = []
    phrases: list[str] = []
    sites: list[str] = []
    excluded: list[str] = []
    excluded_sites: list[str] = []
    for found in _TOKEN.finditer(normalised(text[:_MAX_CHARS]).translate(_QUOTES)):
        minus, site, phrase, word = found.groups()
        if site is not None:
            place = site_place(site)
            if place:
                (excluded_sites if minus else sites).append(place)
        elif phrase is not None:
            if phrase.strip():
                (excluded if minus else phrases).append(phrase.strip())
        elif any(char.isalnum() for char in word):
            (excluded if minus else words).append(word)
    telling = [word for word in words if word.lower().strip("?!.,;:'") not in _STOP_WORDS]
    return ParsedQuery(
        words=tuple(telling if telling or phrases else words),
        phrases=tuple(phrases),
        sites=tuple(sites),
        excluded=tuple(excluded),
        excluded_sites=tuple(excluded_sites),
    )
