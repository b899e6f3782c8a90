"""Open-web tools: search over the recorded corpus, and pages by address, their passages and links.

A page's text is a stranger's. It is searched and cut, never interpreted, and in time that grows with its length alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Final
from urllib.parse import urljoin

from pydantic import Field

from caia_replay.core.world import Page
from caia_replay.errors import ToolError
from caia_replay.providers.reader.provider import page_url
from caia_replay.search.document import PAGES
from caia_replay.search.language import is_stop_word
from caia_replay.search.site import site_place
from caia_replay.search.text import SEPARATORS, plain_numbers
from caia_replay.tools.argument import within
from caia_replay.tools.search_window import FirstDay, LastDay, Past, describe_window, whole_window, window_argument
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

PAGE_CHARACTERS: Final = 8_000
MOST_PASSAGES: Final = 10
_MOST_RESULTS: Final = 20
_MOST_PAGES: Final = 50
_MOST_LINKS: Final = 200

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


def web_search(
    world: ToolContext,
    query: Annotated[
        str,
        Field(
            description='Words to find. Also "a quoted phrase", -word, site:host/path, author:name, lang:zh, '
            "since:2024-05-01 (or after:) and until:2024-06-01 (or before:; that day is outside)."
        ),
    ],
    limit: Annotated[int, Field(description="How many results, 1 to 20.")] = 10,
    page: Annotated[int, Field(description="Which page of results, from 1.")] = 1,
    past: Past = None,
    first_day: FirstDay = None,
    last_day: LastDay = None,
) -> dict[str, Any]:
    """Search the web as it was at the task's moment. Results are ranked, best first.

    One of the words must be there, the others help to rank; phrases, operators and windows must hold. A date is when
    a page was published (UTC); where it does not say, it is null and first_seen tells since when the page is known.
    Windows look at either. window is the stretch of time that was searched, null for any. next_page leads on; null
    after the last page, which is 50 at most.

    Example: {"query": "tokenomics site:docs.example", "limit": 5, "past": "month"}
    """
    within(limit, 1, _MOST_RESULTS, "limit")
    within(page, 1, _MOST_PAGES, "page")
    window = window_argument(past, first_day, last_day, world.now)
    searched = whole_window(query, PAGES.operators, window)
    found = world.search(query, limit, (page - 1) * limit, window.tbs)
    return {
        "query": query,
        "window": describe_window(searched, world.now),
        "page": page,
        "results": [
            {
                "rank": result.rank,
                "title": result.page.title,
                "url": result.page.url,
                "domain": site_place(result.page.url).partition("/")[0] or None,
                "snippet": result.snippet,
                **_origin(result.page, "date"),
            }
            for result in found
        ],
        "next_page": page + 1 if len(found) == limit and page < _MOST_PAGES else None,
    }


def url_fetching(
    world: ToolContext,
    url: Annotated[str, Field(description="The page's full address.")],
    cursor: Annotated[int, Field(description="Where to go on in a long page: 0, or the last next_cursor.")] = 0,
    find: Annotated[
        str | None, Field(description='Words to look for instead of reading on; "quoted words" stand together.')
    ] = None,
    max_links: Annotated[int, Field(description="How many of the page's links to list, 0 to 200.")] = 20,
) -> dict[str, Any]:
    """Read a web page as text. Long pages come in parts of 8,000 characters; next_cursor leads to the next.

    With find, passages takes the place of text: up to 10 pieces of 500 characters that hold one of the words, those
    with most of them first; from cursor on; a passage's cursor is where to read on. passages_in_all counts them.
    links are those from cursor on, with their words, each address once, links_in_all of them. published is UTC, null
    where the page does not say; then first_seen tells since when it is known.

    Example: {"url": "https://docs.example/tokenomics", "find": "vesting \\"total supply\\""}
    """
    within(max_links, 0, _MOST_LINKS, "max_links")
    page = world.page(url)
    if not 0 <= cursor <= len(page.text):
        raise ToolError(f"cursor {cursor} is outside the page, which has {len(page.text)} characters")
    leads = links(page.text, page.url, cursor)
    return {
        "url": page.url,
        "title": page.title,
        **_origin(page, "published"),
        "characters": len(page.text),
        **(_part(page.text, cursor) if find is None else _found(page.text, cursor, find)),
        "links": [{"text": link.anchor, "url": link.url} for link in leads[:max_links]],
        "links_in_all": len(leads),
    }


def _origin(page: Page, date: str) -> dict[str, Any]:
    """When, by whom and in what language; null is what nothing recorded tells."""
    dated = page.published is not None
    # When a dated page was read for the first time may lie ahead of this moment.
    seen = None if dated else page.first_seen
    return {
        date: None if page.published is None else utc_text(page.published),
        "first_seen": None if seen is None else utc_text(seen),
        "author": page.author or None,
        "language": page.language or None,
    }


def _part(text: str, cursor: int) -> dict[str, Any]:
    end = cursor + PAGE_CHARACTERS
    return {"text": text[cursor:end], "next_cursor": end if end < len(text) else None}


def _found(text: str, cursor: int, find: str) -> dict[str, Any]:
    there = passages(text[cursor:], find)
    return {
        "passages": [{"cursor": cursor + one.start, "text": one.text} for one in there[:MOST_PASSAGES]],
        "passages_in_all": len(there),
    }


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
