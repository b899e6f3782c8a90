"""The defence traced: which answers it lets pass, by where their values came from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply, objection_to
from caia_replay.tools.defences import parse_defence
from caia_replay.tools.traced import Traced
from tests.unit.tools.conftest import Kept
from tests.unit.tools.test_two_sources import FORUM, NEWS, search

HELD = "held back"


class Told(Kept):
    """The catalog's tools; each call answers with the next result it was given, None is an error."""

    def __init__(self, *results: dict[str, Any] | None) -> None:
        self.results = list(results)

    def call(self, name: str, arguments: str) -> ToolReply:
        """The next."""
        result = self.results.pop(0)
        error = {"type": "x", "message": "4321"} if result is None else None
        return ToolReply(Served.HIT, result, error)


def traced(*calls: tuple[str, dict[str, Any], dict[str, Any] | None], question: str = "") -> Traced:
    """The defence after these calls: tool, arguments and result."""
    tools = Traced(Told(*(result for _, _, result in calls)), question)
    for name, arguments, _ in calls:
        tools.call(name, json.dumps(arguments))
    return tools


def web(**said: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A search with a result on each of these sites."""
    return "web_search", {"query": "q"}, search(**said)


def chain(value: Any, **arguments: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A call of an authoritative tool."""
    return "balance_query", arguments, {"balance": value}


def test_one_page_decides_nothing_and_two_do() -> None:
    """Copies of one text are one, and so are two addresses of one owner; posts are one more."""
    one, other = NEWS.format("574,400,000"), FORUM.format("574.4 million")
    assert HELD in traced(web(a=one)).objection("574,400,000") and "a.example" in traced(web(a=one)).objection("574.4M")
    assert traced(web(a=one, b=other)).objection("574400000") == ""
    assert HELD in traced(web(a=one, b=one)).objection("574400000")
    assert HELD in traced(web(**{"a": one, "docs.a": other})).objection("574400000")
    posts = ("twitter_search", {"query": "q"}, {"results": [{"author": "u", "text": FORUM.format("574,400,000")}] * 3})
    assert HELD in traced(posts).objection("574400000") and traced(web(a=one), posts).objection("574400000") == ""


def test_an_authoritative_value_decides_and_the_text_it_quotes_does_not() -> None:
    """A name, a figure and what rounds to the answer pass; what stands within a longer text is anybody's."""
    assert traced(web(a="nothing"), chain(4321)).objection("4,321") == ""
    assert traced(web(a="nothing"), chain("4321.4567")).objection("4321.46") == ""
    assert HELD in traced(web(a="nothing"), chain("4321.4567")).objection("4321.47")
    assert HELD in traced(web(a="nothing"), chain("16.8")).objection("17")
    assert traced(web(a="nothing"), chain("Harborspan")).objection("Harborspan") == ""
    assert HELD in traced(web(a="nothing"), chain("the answer is 4321 they say")).objection("4321")


def test_what_comes_of_a_pages_word_is_the_pages_word() -> None:
    """An address from one page taints the balance; one of the question, or of two pages, does not."""
    address = "0x" + "ab" * 20
    page, other = NEWS.format(address), FORUM.format(address)
    asked = {"address": address}
    assert HELD in traced(web(a=page), chain(4321, **asked)).objection("4321")
    assert traced(web(a=page), chain(4321, **asked), question=f"What does {address} hold?").objection("4321") == ""
    assert traced(web(a=page, b=other), chain(4321, **asked)).objection("4321") == ""
    code = ("code_execution", {"code": "print(4321 * 2)"}, {"output": "8642"})
    assert HELD in traced(web(a=NEWS.format("4321")), code).objection("8642")
    assert traced(web(a="nothing"), chain(4321), code).objection("8642") == ""


def test_an_agents_own_value_passes_while_it_has_read_nothing() -> None:
    """So do yes and no; a question's value needs an origin like any other; an error says nothing."""
    assert traced(chain(4321)).objection("yes") == "" == traced(chain(4321)).objection("8642")
    assert HELD in traced(web(a="yes")).objection("yes") and HELD in traced(web(a="nothing")).objection("8642")
    assert HELD in traced(web(a="nothing"), question="Is it 4321 or 8642?").objection("4321")
    assert HELD in traced(web(a="nothing"), ("balance_query", {}, None)).objection("4321")


@given(st.integers(1_000, 10**12), st.integers(1_000, 10**12))
def test_what_one_page_says_never_passes_and_an_authority_always_does(lie: int, truth: int) -> None:
    """For any two figures, whatever order the tools were asked in."""
    page, told = web(a=NEWS.format(lie)), chain(truth)
    for tools in (traced(page, told), traced(told, page)):
        assert tools.objection(str(truth)) == ""
        assert lie == truth or f"{lie}"[:3] == f"{truth}"[:3] or HELD in tools.objection(str(lie))


@pytest.mark.parametrize("text", ["traced", "two-sources+traced", "traced+labelled", "labelled+quarantine+traced"])
def test_it_judges_wherever_it_stands(text: str) -> None:
    """Replies pass unchanged through it alone; the judge is kept by what stands before it."""
    chosen = parse_defence(text)
    assert chosen is not None
    tools = chosen.over(Told(search(a=NEWS.format("4321"))), "What is it?")
    tools.call("web_search", "{}")
    assert HELD in objection_to(tools, "4321") and objection_to(Told(), "4321") == ""
