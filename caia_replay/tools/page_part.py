"""What is picked out of a page's text: the passages around some words, and the page's links.

The text is a stranger's. It is searched and cut, never interpreted, and in time that grows with its length alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urljoin

from caia_replay.errors import ToolError
from caia_replay.providers.reader.provider import page_url
from caia_replay.search.language import is_stop_word
from caia_replay.search.text import SEPARATORS, plain_numbers

PASSAGE_CHARACTERS: Final = 500
READ_CHARACTERS: Final = 1_000_000
"""Links behind these are not looked for: a cost limit that no honest page reaches."""

_LEAD_CHARACTERS: Final = 120
"""How much text stands before the first word that was found."""
_MOST_WORDS: Final = 16
_MOST_HREFS: Final = 5_000
_WORD: Final = re.compile(r'"([^"]{1,200})"?|([^\s"]{1,200})')
_DIGITS: Final = re.compile(r"[0-9]{4,}")
_QUOTES: Final = str.maketrans("“”„«»「」", '"""""""')
_LINK: Final = re.compile(
    r"(?P<picture>!?)\[(?P<anchor>[^\[\]]{0,300}+)\]\(\s{0,9}+<?"
    r"(?P<href>[^\s()<>]{1,2000}+(?:\([^\s()<>]{0,200}+\)[^\s()<>]{0,200}+)?)>?"
    r"(?:\s{1,9}+\"[^\"\n]{0,300}+\")?\s{0,9}+\)"
    r"|(?P<bare>https?://[^\s<>\"'()\[\]，。；、）】]{1,2000}+)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = ".,;:!?*_`~"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text, which begins at ``start``; ``words`` is how many of the wanted words are in it."""

    start: int
    text: str
    words: int


@dataclass(frozen=True, slots=True)
class Link:
    """An address a page leads to, as it can be asked for; ``anchor`` is empty where it stands in the text as it is."""

    start: int
    anchor: str
    url: str


def passages(text: str, wanted: str) -> list[Passage]:
    """Every passage of ``text`` that holds one of the wanted words, those with most of them first, else in order.

    ``"quoted words"`` stand together. Letters' case and separators within long numbers do not count; words that say
    nothing are left out beside others. Raises ``ToolError`` where no word is wanted.
    """
    pattern = _pattern(wanted)
    found: list[tuple[int, set[str]]] = []
    for hit in pattern.finditer(text):
        if not found or hit.end() > found[-1][0] + PASSAGE_CHARACTERS:
            behind = found[-1][0] + PASSAGE_CHARACTERS if found else 0
            # A word that begins in one passage and ends behind it begins the next.
            found.append((max(min(behind, hit.start()), hit.start() - _LEAD_CHARACTERS), set()))
        found[-1][1].add(str(hit.lastgroup))
    made = [Passage(start, text[start : start + PASSAGE_CHARACTERS], len(words)) for start, words in found]
    return sorted(made, key=lambda passage: (-passage.words, passage.start))


def links(text: str, base: str, start: int = 0) -> list[Link]:
    """The web addresses that a page at ``base`` leads to from ``start`` on, in order, each once.

    Links in Markdown and addresses that stand in the text; pictures and what leads to no web address are left out, and
    so are those behind the first ``READ_CHARACTERS`` or the first thousands.
    """
    made: dict[str, Link] = {}
    for at, anchor, href in islice(_hrefs(text, start), _MOST_HREFS):
        with suppress(ValueError, ToolError):
            url = page_url(urljoin(base, href))
            made.setdefault(url, Link(at, anchor, url))
    return list(made.values())


def _hrefs(text: str, start: int) -> Iterator[tuple[int, str, str]]:
    """Where each link stands, its words and what it leads to, every target once."""
    seen: set[str] = set()
    for found in _LINK.finditer(text, start, READ_CHARACTERS):
        href = found["href"] or found["bare"].rstrip(_SENTENCE_END)
        if href not in seen and not found["picture"]:
            seen.add(href)
            yield found.start(), " ".join((found["anchor"] or "").split()), href


def _pattern(wanted: str) -> re.Pattern[str]:
    words = [(phrase or word).strip() for phrase, word in _WORD.findall(wanted.translate(_QUOTES))]
    words = list(dict.fromkeys(word for word in words if any(char.isalnum() for char in word)))
    words = [word for word in words if not is_stop_word(word)] or words
    if not words:
        raise ToolError(f"find is {wanted[:80]!r}; it takes words to look for")
    if len(words) > _MOST_WORDS:
        raise ToolError(f"find has {len(words)} words; it takes {_MOST_WORDS}")
    # Longer words first, so that one that begins another does not hide it.
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(f"(?P<w{at}>{_spelt(word)})" for at, word in enumerate(ordered)), re.IGNORECASE)


def _spelt(word: str) -> str:
    """A word as a pattern: any white space between its parts, any separators in a long number."""
    parts = []
    for part in plain_numbers(word).split():
        number = _DIGITS.fullmatch(part) is not None
        parts.append(f"[{SEPARATORS}]?".join(part) if number else re.escape(part))
    return r"\s{1,20}".join(parts)
