"""The web researcher: several short searches at once, pages and links where they are needed, two sources for an answer.

Its habits are those of recorded agents (the 200 WebDancer trajectories, read by ``scripts/agent_habits.py``): a search
asks 3 queries of 6 words, no query has an operator, a later query of a search has about a third of its words from the
first one, and pages are opened only where what the search shows does not settle the question. What they do once in a
hundred tasks, a second search, it does where two sources do not agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.claim import Claim, claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    calls_made,
    calls_message,
    is_error,
    offered,
)
from caia_replay.models.policies.sceptic import agreed, independent

QUERIES = 3
"""Queries of one search: recorded 2.88 in the mean, 3 in the median."""
QUERY_WORDS = 6
"""At most, in a query: recorded 6 in the median."""
KEPT_WORDS = 2
"""Words of a search's first query in each later one: recorded 37 % of its words, here 2 of 6."""
SEARCHES = 2
"""Searches of a run, at most: recorded 1.02 in the mean."""
RESULTS = 10
"""Results of a query, as the recorded agents' tool gives."""
PAGES = 3
"""Results that are opened after a search, at most: recorded 1.56 addresses in a visit, 3 at most."""
LINKS = 2
"""Links of opened pages that are followed after a search, at most."""

_OPERATOR = re.compile(r"-?[A-Za-z]+:\S+|-\w+")
_LETTERS = re.compile(r"[^\W_]+")
_SHORTEST = 4
"""Letters of a word that says enough to be searched for, where it is not written like a name."""

Call = tuple[str, Any, Any]
"""A tool, its arguments and its result."""


class SearcherPolicy:
    """Search, open, follow, search again; the answer of two independent sources, or at the end of the most sources.

    Of a run task and attempt count alone.
    """

    def __init__(self, brief: PolicyHints, key: RunKey, seed: int) -> None:
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None
        self._question = brief.question
        self._chance = ("policy/searcher", seed, key.task, key.attempt)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next calls, or the answer."""
        recipe, known, done = self._recipe, offered(tools), calls_made(messages)
        if recipe is None or ("web_search" not in known and not done):
            return answer_message(UNKNOWN)
        found, read = _results(done), _pages(done)
        sources = _sources(recipe, found, read)
        settled = agreed(sources, recipe)
        if settled is None and (calls := self._next(recipe, known, done, found, read)):
            return calls_message(calls, len(done) + 1)
        best = settled or most_backed(sources, recipe)
        return answer_message(best.answer, evidence(recipe, best)) if best else answer_message(UNKNOWN)

    def _next(
        self,
        recipe: FilledRecipe,
        known: Mapping[str, Wire],
        done: Sequence[Call],
        found: Mapping[str, Wire],
        read: Mapping[str, Any],
    ) -> list[tuple[str, Wire, Wire]]:
        """Open what the last search found, else follow a link of what was opened since, else search again."""
        asked = _asked(done)
        searches = [at for at, (tool, _) in enumerate(asked) if tool == "web_search"]
        if searches and "url_fetching" in known:
            since = [url for _, url in asked[searches[-1] + 1 :]]
            urls = [] if since else [url for url in found if url not in read][:PAGES]
            if not urls and all(url in found for url in since):
                leads = _leads([read.get(url) for url in since], self.queries(recipe)[0])
                urls = [url for url in dict.fromkeys(leads) if url not in read and url not in found][:LINKS]
            if urls:
                return [("url_fetching", {"url": url}, known["url_fetching"]) for url in urls]
        if "web_search" in known and len(searches) < SEARCHES * QUERIES:
            queries = self.queries(recipe)[len(searches) : len(searches) + QUERIES]
            return [("web_search", {"query": one, "limit": RESULTS}, known["web_search"]) for one in queries]
        return []

    def queries(self, recipe: FilledRecipe) -> list[str]:
        """All queries that a run may make, in their order: each search's first one, and what is made of it."""
        first = [word for word in recipe.query.replace('"', " ").split() if not _OPERATOR.fullmatch(word)]
        first = (first or ["news"])[:QUERY_WORDS]
        others = [word for word in _telling(self._question) if word.casefold() not in map(str.casefold, first)]
        chance, made = Chance(*self._chance), [" ".join(first)]
        while len(made) < SEARCHES * QUERIES:
            kept = _drawn(chance, first, KEPT_WORDS)
            made.append(" ".join([*kept, *_drawn(chance, others, QUERY_WORDS - len(kept))]))
        return made


def most_backed(sources: Sequence[Claim], recipe: FilledRecipe) -> Claim | None:
    """The first source of the answer that has the most independent ones; of two such the higher-ranked one's."""
    backed: dict[str, list[Claim]] = {}
    for source in sources:
        backers = backed.setdefault(same_form(source.answer), [])
        if all(independent(source, other, recipe) for other in backers):
            backers.append(source)
    return max(backed.values(), key=len)[0] if backed else None


def _sources(recipe: FilledRecipe, found: Mapping[str, Wire], read: Mapping[str, Any]) -> list[Claim]:
    """What results claim, by their page where it was opened, and then what pages claim that links led to."""
    linked = [{"url": url} for url in read if url not in found]
    every = [*found.values(), *linked]
    return claims(recipe, every, [read.get(str(hit["url"])) for hit in every])


def _results(done: Sequence[Call]) -> dict[str, Wire]:
    """The results of all searches by their address: rank by rank, the searches' first ones before all second ones."""
    ranks = zip_longest(*(hits(result) for tool, _, result in done if tool == "web_search"))
    found: dict[str, Wire] = {}
    for hit in (hit for rank in ranks for hit in rank if hit is not None):
        found.setdefault(str(hit["url"]), hit)
    return found


def _pages(done: Sequence[Call]) -> dict[str, Any]:
    """What was opened, by address."""
    return {url: result for (tool, url), (_, _, result) in zip(_asked(done), done) if tool == "url_fetching"}


def _asked(done: Sequence[Call]) -> list[tuple[str, str]]:
    """Each call's tool, and the address that it opened."""
    return [(tool, str(given.get("url")) if isinstance(given, Mapping) else "") for tool, given, _ in done]


def _leads(pages: Sequence[Any], query: str) -> Iterator[str]:
    """The addresses of the pages' links that share a word with the query."""
    words = set(map(str.casefold, _LETTERS.findall(query)))
    for page in pages:
        links = None if is_error(page) else page.get("links")
        for link in links if isinstance(links, list) else ():
            url = link.get("url") if isinstance(link, Mapping) else None
            path = url.partition("://")[2].partition("/")[2] if isinstance(url, str) else ""
            said = map(str.casefold, _LETTERS.findall(f"{link.get('text')} {path}"))
            if isinstance(url, str) and words.intersection(said):
                yield url


def _telling(question: str) -> list[str]:
    """The question's words that say enough to be searched for, each once, as they stand there."""
    words = dict.fromkeys(_LETTERS.findall(question[:20_000]))
    return [word for word in words if len(word) >= _SHORTEST or word[0].isupper() or not word.isascii()]


def _drawn(chance: Chance, words: Sequence[str], most: int) -> list[str]:
    """At most so many of the words, in their order, each at most once."""
    left = list(range(len(words)))
    while len(left) > most:
        left.pop(chance.below(len(left)))
    return [words[at] for at in left]
