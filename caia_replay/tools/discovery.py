"""Open-web tools: search over the recorded corpus, and pages by address."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.core.world import Page
from caia_replay.errors import ToolError
from caia_replay.search.document import PAGES
from caia_replay.search.site import site_place
from caia_replay.tools.argument import within
from caia_replay.tools.page_part import links, passages
from caia_replay.tools.search_window import describe_window, whole_window, window_argument
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

PAGE_CHARACTERS: Final = 8_000
MOST_PASSAGES: Final = 10
_MOST_RESULTS: Final = 20
_MOST_PAGES: Final = 50
_MOST_LINKS: Final = 200


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
    past: Annotated[
        str | None, Field(description="Only what is as new: hour, day, week, month (30 days), year, or 3 days.")
    ] = None,
    first_day: Annotated[str | None, Field(description="The first day, UTC, itself inside: 2024-05-01.")] = None,
    last_day: Annotated[str | None, Field(description="The last day, UTC, itself inside: 2024-05-31.")] = None,
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
