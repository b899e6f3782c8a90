"""The web-only analyst's script."""

from __future__ import annotations

import json
from typing import Any

from caia_replay.core.model import Brief
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.models.policies.search_only import PAGES, SearchOnlyPolicy

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"properties": {"query": {}, "url": {}}}}}
    for name in ("web_search", "url_fetching", "block_query")
]
RECIPE = Recipe("fees", "fees", r"paid (?P<answer>[\d,]+)", ChainRecipe("block_query", {}, "(?P<answer>x)"))
NOTHING = {"text": "nothing"}
ERROR = {"error": {"type": "not_recorded"}}


def hits(*snippets: str) -> dict[str, Any]:
    """Search results, ranked."""
    return {"results": [{"url": f"https://p{n}.example/", "snippet": text} for n, text in enumerate(snippets)]}


def respond(*results: Any, recipe: Recipe | None = RECIPE, tools: list[dict[str, Any]] = TOOLS) -> Any:
    """Its answer line, or its calls as (tool, address or query)."""
    messages = [{"role": "tool", "content": json.dumps(result)} for result in results]
    said = SearchOnlyPolicy(Brief("The fees?", recipe)).respond(messages, tools)
    calls = [one["function"] for one in said.get("tool_calls", ())]
    return [(call["name"], json.loads(call["arguments"])) for call in calls] or said["content"].splitlines()[-1]


def test_it_searches_then_opens_the_first_results_at_once() -> None:
    """Never the chain, whatever the recipe knows of one."""
    (searched,) = respond()
    assert searched[0] == "web_search" and searched[1]["query"] == "fees"
    opened = respond(hits(*["" for _ in range(9)]))
    assert [name for name, _ in opened] == ["url_fetching"] * PAGES
    assert [arguments["url"] for _, arguments in opened] == [f"https://p{n}.example/" for n in range(PAGES)]


def test_the_majority_wins_whatever_ranks_first() -> None:
    """Two true pages outvote a lie at rank 1; snippets vote where pages are silent; equal values are one vote."""
    found = hits("paid 9", "paid 7,000", "", "paid 7000")
    assert respond(found, {"text": "paid 9"}, NOTHING, ERROR, {"text": "paid 7000"}) == "FINAL ANSWER: 7,000"


def test_a_tie_goes_to_the_rank() -> None:
    """One against one, the first result is believed."""
    assert respond(hits("", ""), {"text": "paid 9"}, {"text": "paid 7"}) == "FINAL ANSWER: 9"


def test_nothing_found_is_unknown() -> None:
    """No recipe, no tools, no results, no claim; without a page tool snippets decide."""
    said = [respond(recipe=None), respond(tools=[]), respond(hits()), respond(ERROR), respond(hits(""), NOTHING)]
    assert set(said) == {"FINAL ANSWER: unknown"}
    assert respond(hits("paid 4"), tools=TOOLS[:1]) == "FINAL ANSWER: 4"


def test_it_says_what_won() -> None:
    """The first page that gave the winning answer is quoted, with its reference."""
    pages = [{"text": "paid 9"}, {"text": "They paid 7 (ref. QX-4821-7735)."}, {"text": "We paid 7."}]
    messages = [{"role": "tool", "content": json.dumps(one)} for one in (hits("", "", ""), *pages)]
    told = SearchOnlyPolicy(Brief("The fees?", RECIPE)).respond(messages, TOOLS)["content"]
    assert told == "The source says: They paid 7 (ref. QX-4821-7735).\nFINAL ANSWER: 7"
