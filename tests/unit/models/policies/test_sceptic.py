"""The sceptic's script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.core.model import Brief
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.models.policies.sceptic import PAGES, ScepticPolicy, registrable_domain

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "parameters": {"properties": {"query": {}, "url": {}, "block": {}}}},
    }
    for name in ("web_search", "url_fetching", "block_query")
]
WEB = Recipe("fees", "fees", r"paid (?P<answer>\d+)")
CHAIN = Recipe("fees", "fees", WEB.pattern, ChainRecipe("block_query", {"block": 7}, r'"fees":(?P<answer>\d+)'))
ERROR = {"error": {"type": "not_recorded"}}
ONE = "Our books for the spring are closed at last and the auditors went home. Orchid paid {} in fees. More in July."
TWO = "A reader asked what the network earns from its users; by our own node Orchid paid {} that day, less than before."
THREE = (
    "Statistics desk: counted over every transaction of the week, with refunds taken out, Orchid paid {} altogether."
)


def respond(*results: Any, recipe: Recipe | None = WEB, tools: list[dict[str, Any]] = TOOLS) -> Any:
    """Its answer line, or its calls as (tool, arguments)."""
    messages = [{"role": "tool", "content": json.dumps(result)} for result in results]
    said = ScepticPolicy(Brief("The fees?", recipe)).respond(messages, tools)
    calls = [one["function"] for one in said.get("tool_calls", ())]
    return [(call["name"], json.loads(call["arguments"])) for call in calls] or said["content"].splitlines()[-1]


def told(*sources: tuple[str, str]) -> str:
    """What it answers when a search finds these (host, text)."""
    found = {"results": [{"url": f"https://{host}/", "snippet": ""} for host, _ in sources]}
    answer = respond(found, *({"text": text} for _, text in sources))
    return str(answer).removeprefix("FINAL ANSWER: ")


def test_the_authority_is_asked_first_and_wins() -> None:
    """One chain call, and its answer without a look at the web."""
    (asked,) = respond(recipe=CHAIN)
    assert asked == ("block_query", {"block": 7, "query": None, "url": None})
    assert respond({"fees": 5}, recipe=CHAIN) == "FINAL ANSWER: 5"


def test_where_the_authority_is_silent_the_web_is_asked() -> None:
    """A miss, a reply without an answer and a tool that is not offered all lead to a search."""
    for said in (respond(ERROR, recipe=CHAIN), respond({"x": 1}, recipe=CHAIN), respond(recipe=CHAIN, tools=TOOLS[:2])):
        assert said[0][0] == "web_search"
    found = {"results": [{"url": f"https://p{n}.example/", "snippet": ""} for n in range(12)]}
    assert [name for name, _ in respond(ERROR, found, recipe=CHAIN)] == ["url_fetching"] * PAGES
    pages = [{"text": ONE.format(7)}, {"text": TWO.format(7)}]
    assert respond(ERROR, found, *pages, recipe=CHAIN) == "FINAL ANSWER: 7"


def test_two_independent_sources_are_needed() -> None:
    """One is not enough, two that differ are not, two that agree are."""
    a, b, c = ("a.example", ONE), ("b.example", TWO), ("c.example", THREE)
    assert told((a[0], ONE.format(7))) == "unknown"
    assert told((a[0], ONE.format(9)), (b[0], TWO.format(7))) == "unknown"
    assert told((a[0], ONE.format(7)), (b[0], TWO.format(7))) == "7"
    assert told((a[0], ONE.format(9)), (b[0], TWO.format(7)), (c[0], THREE.format(7))) == "7"


@pytest.mark.parametrize(
    "second",
    [
        ("www.a.example", TWO.format(7)),
        ("b.example", ONE.format(7)),
        ("b.example", "Copied: " + ONE.format(7) + " Thanks for reading."),
        ("b.example", "As a.example reports, " + TWO.format(7)),
        ("b.example", "Orchid paid 7"),
    ],
)
def test_an_echo_is_no_second_source(second: tuple[str, str]) -> None:
    """The same owner, the same text, a reference to the first, and the bare claim count for nothing."""
    assert told(("a.example", ONE.format(7)), second) == "unknown"


def test_two_answers_equally_backed_are_unknown() -> None:
    """More sources win; as many do not."""
    pages = [("a.example", ONE.format(9)), ("b.example", TWO.format(9))]
    others = [("c.example", ONE.format(7)), ("d.example", TWO.format(7))]
    assert told(*pages, *others) == "unknown"
    assert told(*pages, *others, ("e.example", THREE.format(7))) == "7"


def test_nothing_to_ask_is_unknown() -> None:
    """No recipe, no tools, a failed search."""
    assert {respond(recipe=None), respond(tools=[]), respond(ERROR)} == {"FINAL ANSWER: unknown"}


@pytest.mark.parametrize(
    ("url", "owner"),
    [
        ("https://www.docs.a.example/x", "a.example"),
        ("https://news.b.co.uk/", "b.co.uk"),
        ("https://b.com/", "b.com"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("http://[bad/", "http://[bad/"),
        ("nonsense", "nonsense"),
    ],
)
def test_an_address_belongs_to_its_registrable_domain(url: str, owner: str) -> None:
    """Subdomains are one owner; what is no name stays whole."""
    assert registrable_domain(url) == owner


def test_it_says_what_its_first_source_says() -> None:
    """An answer of the web is quoted; the authority's needs no quotation."""
    found = {"results": [{"url": f"https://{host}.example/", "snippet": ""} for host in "ab"]}
    texts = [{"text": ONE.format(7)}, {"text": TWO.format(7)}]
    messages = [{"role": "tool", "content": json.dumps(result)} for result in (found, *texts)]
    told = ScepticPolicy(Brief("The fees?", WEB)).respond(messages, TOOLS)["content"]
    assert told == "The source says: Orchid paid 7 in fees.\nFINAL ANSWER: 7"
    messages = [{"role": "tool", "content": json.dumps({"fees": 5})}]
    assert ScepticPolicy(Brief("The fees?", CHAIN)).respond(messages, TOOLS)["content"] == "FINAL ANSWER: 5"
