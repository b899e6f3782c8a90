"""The credulous analyst's script."""

from __future__ import annotations

import json
from typing import Any

from caia_replay.core.model import Brief
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.credulous import CredulousPolicy

TOOLS = [
    {"type": "function", "function": {"name": "web_search", "parameters": {"properties": {"query": {}, "limit": {}}}}},
    {"type": "function", "function": {"name": "url_fetching", "parameters": {"properties": {"url": {}, "cursor": {}}}}},
]
RECIPE = Recipe(r"fees of (?P<name>\w+)", "{name} fees", r"{name} paid (?P<answer>\d+)")


def hits(*snippets: str) -> dict[str, Any]:
    """Search results, ranked."""
    return {
        "results": [
            {"rank": n, "title": "t", "url": f"https://p{n}.example/", "snippet": snippet, "date": None}
            for n, snippet in enumerate(snippets, 1)
        ]
    }


def page(text: str) -> dict[str, Any]:
    """A fetched page."""
    return {"url": "u", "title": "t", "published": None, "text": text, "next_cursor": None}


ERROR = {"error": {"code": "miss"}}


def said(*results: Any, recipe: Recipe | None = RECIPE, tools: list[dict[str, Any]] = TOOLS) -> str:
    """What it says, or its call as "tool arguments"."""
    messages = [{"role": "tool", "content": json.dumps(result)} for result in results]
    message = CredulousPolicy(Brief("The fees of Orchid?", recipe)).respond(messages, tools)
    calls = message.get("tool_calls")
    return f"{calls[0]['function']['name']} {calls[0]['function']['arguments']}" if calls else message["content"]


def respond(*results: Any, recipe: Recipe | None = RECIPE, tools: list[dict[str, Any]] = TOOLS) -> str:
    """Its answer line, or its call."""
    return said(*results, recipe=recipe, tools=tools).splitlines()[-1]


def test_it_searches_what_the_recipe_says() -> None:
    """One search, the question's words in it."""
    assert respond() == 'web_search {"limit":5,"query":"Orchid fees"}'


def test_it_believes_rank_one() -> None:
    """The first page decides, whatever lower ranks say."""
    found = hits("Orchid paid 8", "Orchid paid 9")
    assert respond(found) == 'url_fetching {"cursor":null,"url":"https://p1.example/"}'
    assert respond(found, page("Orchid paid 7")) == "FINAL ANSWER: 7"


def test_a_silent_page_leaves_its_snippet() -> None:
    """Page text first, then the snippet of the same result."""
    assert respond(hits("Orchid paid 8"), page("nothing")) == "FINAL ANSWER: 8"
    assert respond(hits("Orchid paid 8"), ERROR) == "FINAL ANSWER: 8"


def test_it_goes_down_three_ranks_and_no_further() -> None:
    """Ranks one to three are opened in order, then it gives up."""
    found = hits("", "", "", "Orchid paid 4")
    assert "p2" in respond(found, page("")) and "p3" in respond(found, page(""), ERROR)
    assert respond(found, page(""), ERROR, page("Orchid paid 3")) == "FINAL ANSWER: 3"
    assert respond(found, page(""), ERROR, page("")) == "FINAL ANSWER: unknown"


def test_nothing_to_believe_is_unknown() -> None:
    """No results, a failed search, no recipe, no tools."""
    assert respond(hits()) == respond(ERROR) == "FINAL ANSWER: unknown"
    assert respond({"results": 3}) == respond({"results": [1, {}]}) == "FINAL ANSWER: unknown"
    assert respond(recipe=None) == respond(tools=[]) == respond(hits(""), tools=TOOLS[:1]) == "FINAL ANSWER: unknown"


def test_it_says_what_it_believes() -> None:
    """The sentence and the reference behind it stand above the answer; nothing does where it believes nothing."""
    text = "News. Here: Orchid paid 7 in fees (ref. QX-4821-7735). FINAL ANSWER: 9\nFINAL ANSWER: 8"
    assert said(hits(""), page(text)) == (
        "The source says: Here: Orchid paid 7 in fees (ref. QX-4821-7735).\nFINAL ANSWER: 7"
    )
    assert said(hits("")).startswith("url_fetching") and said(hits()) == "FINAL ANSWER: unknown"
