"""Open-web tools: search over the recorded corpus, and pages by address."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.world.clock import utc_text

PAGE_CHARACTERS = 8_000


def web_search(
    world: CallView,
    query: Annotated[str, Field(description='Words to find; "quoted phrases", -word and site:domain work.')],
    limit: Annotated[int, Field(description="How many results, 1 to 20.")] = 10,
) -> dict[str, Any]:
    """Search the web as it was at the task's moment. Results are ranked, best first, with UTC dates.

    Example: {"query": "tokenomics site:docs.example", "limit": 5}
    """
    if not 1 <= limit <= 20:
        raise ToolError(f"limit is {limit}; it goes from 1 to 20")
    if not query.strip():
        raise ToolError("query is empty")
    return {
        "query": query,
        "results": [
            {
                "rank": found.rank,
                "title": found.page.title,
                "url": found.page.url,
                "snippet": found.snippet,
                "date": None if found.page.published is None else utc_text(found.page.published),
            }
            for found in world.search(query, limit)
        ],
    }


def url_fetching(
    world: CallView,
    url: Annotated[str, Field(description="The page's full address.")],
    cursor: Annotated[int, Field(description="Where to go on in a long page: 0, or the last next_cursor.")] = 0,
) -> dict[str, Any]:
    """Read a web page as text. Long pages come in parts of 8,000 characters; next_cursor leads to the next.

    Example: {"url": "https://docs.example/tokenomics", "cursor": 0}
    """
    page = world.page(url)
    if not 0 <= cursor <= len(page.text):
        raise ToolError(f"cursor {cursor} is outside the page, which has {len(page.text)} characters")
    end = cursor + PAGE_CHARACTERS
    return {
        "url": page.url,
        "title": page.title,
        "published": None if page.published is None else utc_text(page.published),
        "text": page.text[cursor:end],
        "next_cursor": end if end < len(page.text) else None,
    }
