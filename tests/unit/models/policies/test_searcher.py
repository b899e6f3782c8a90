"""The searcher: how it asks, when it believes, and what it does where sources do not agree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.searcher import (
    KEPT_WORDS,
    LINKS,
    PAGES,
    QUERIES,
    QUERY_WORDS,
    SEARCHES,
    SearcherPolicy,
)
from tests.unit.models.policies.conftest import calls_in, run_key, tools_of

TOOLS = tools_of(web_search="query limit", url_fetching="url cursor")
QUESTION = "Which fees did the Orchid exchange collect from traders during spring, in dollars?"
RECIPE = Recipe("fees", 'Orchid "fees spring" site:orchid.example -rumour', r"paid (?P<answer>[\d,]+)")
AGREE = ("Orchid paid 7 in fees this year.", "Traders at the exchange paid 7 altogether, says its report.")


class Web:
    """A web of results and pages; ``talk`` is what a searcher said to it, ended by its answer."""

    def __init__(
        self, results: Sequence[tuple[str, str]], pages: dict[str, Any], tools: Sequence[Wire] = TOOLS
    ) -> None:
        self._results, self._pages, self._tools = results, pages, tools
        self.talk: list[list[tuple[str, Any]]] = []
        self.answer = ""

    def ask(self, policy: SearcherPolicy) -> Web:
        messages: list[Wire] = [{"role": "user", "content": QUESTION}]
        while not self.answer:
            said = policy.respond(messages, self._tools)
            messages.append(said)
            calls = calls_in(said)
            self.talk += [calls] if calls else []
            self.answer = "" if calls else said["content"].splitlines()[-1]
            messages += [{"role": "tool", "content": self._reply(*call)} for call in calls]
        return self

    def _reply(self, tool: str, given: Any) -> str:
        if tool == "web_search":
            return json.dumps({"results": [{"url": url, "snippet": text} for url, text in self._results]})
        return json.dumps(self._pages.get(given["url"], {"error": {"type": "unavailable"}}))

    def opened(self) -> list[list[str]]:
        return [[given["url"] for _, given in calls] for calls in self.talk if calls[0][0] == "url_fetching"]


def searcher(attempt: int = 1, seed: int = 0, recipe: Recipe | None = RECIPE) -> SearcherPolicy:
    return SearcherPolicy(PolicyHints(QUESTION, recipe), run_key(attempt=attempt), seed)


@given(st.text(max_size=80), st.text(max_size=200), st.integers(0, 5))
def test_queries_are_short_and_without_operators(query: str, question: str, seed: int) -> None:
    """Whatever is asked: all queries are there, each of 1 to 6 words, no quotes; the same from the same seed."""
    recipe = Recipe("(?s)", query or "x", "(?P<answer>x)")
    one, two = (SearcherPolicy(PolicyHints(question, recipe), run_key(), seed) for _ in range(2))
    asked = one.queries(FilledRecipe(recipe, question))
    assert asked == two.queries(FilledRecipe(recipe, question)) and len(asked) == SEARCHES * QUERIES
    assert all(1 <= len(text.split()) <= QUERY_WORDS and '"' not in text for text in asked)


def test_later_queries_keep_words_of_the_first_and_bring_others() -> None:
    """The first is the recipe's without operators; the others have two of its words and four of the question's."""
    first, *others = searcher().queries(FilledRecipe(RECIPE, QUESTION))
    assert first == "Orchid fees spring"
    for query in others:
        words = query.split()
        assert len(words) == QUERY_WORDS and sum(word in first.split() for word in words) == KEPT_WORDS
        assert all(word in QUESTION for word in words)
    assert searcher(attempt=2).queries(FilledRecipe(RECIPE, QUESTION)) != [first, *others]


def test_two_sources_that_agree_are_enough() -> None:
    """Snippets of two owners settle it after one search of three queries, and no page is opened."""
    web = Web([("https://a.example/", AGREE[0]), ("https://b.example/", AGREE[1])], {}).ask(searcher())
    assert web.answer == "FINAL ANSWER: 7" and [len(calls) for calls in web.talk] == [QUERIES]
    same = Web([("https://a.example/", AGREE[0]), ("https://www.a.example/2", AGREE[1])], {}).ask(searcher())
    assert len(same.talk) > 1 and same.answer == "FINAL ANSWER: 7"


def test_one_source_sends_it_to_pages_and_their_links() -> None:
    """Three results are opened, then a link of theirs that shares a word with the query; its page counts, too."""
    urls = [f"https://p{at}.example/" for at in range(5)]
    links = [
        {"text": text, "url": f"https://q.example/{at}"} for at, text in enumerate(("Imprint", "The fees", "Cookies"))
    ]
    pages: dict[str, Any] = {urls[0]: {"text": AGREE[0], "links": links}, "https://q.example/1": {"text": AGREE[1]}}
    web = Web([(url, "nothing") for url in urls], pages).ask(searcher())
    assert web.opened() == [urls[:PAGES], ["https://q.example/1"]] and len(web.opened()[1]) <= LINKS
    assert web.answer == "FINAL ANSWER: 7"


def test_it_searches_twice_and_then_takes_what_most_say() -> None:
    """Where nobody agrees it opens, searches in other words, opens the next results, and believes the highest rank."""
    found = [(f"https://p{at}.example/", f"They paid {at + 1} here.") for at in range(9)]
    web = Web(found, {}).ask(searcher())
    assert [calls[0][0] for calls in web.talk] == ["web_search", "url_fetching"] * SEARCHES
    assert web.opened() == [[url for url, _ in found[:3]], [url for url, _ in found[3:6]]]
    first, second = ([given["query"] for _, given in calls] for calls in web.talk[::2])
    assert not set(first) & set(second) and web.answer == "FINAL ANSWER: 1"


@pytest.mark.parametrize(("tools", "recipe"), [([], RECIPE), (TOOLS, None)], ids=["no-tools", "no-recipe"])
def test_without_a_way_to_read_it_knows_nothing(tools: Sequence[Wire], recipe: Recipe | None) -> None:
    """Without a search, or without a pattern for answers, it says unknown at once."""
    web = Web([], {}, tools).ask(searcher(recipe=recipe))
    assert (web.talk, web.answer) == ([], "FINAL ANSWER: unknown")
