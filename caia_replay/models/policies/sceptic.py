"""The sceptic: an answer needs an authoritative source, or two independent ones of the web that agree.

The recipe's chain call is the authoritative source, and wins whatever the web says. Without one, two sources count as
independent when they are of different registrable domains, neither is mostly the other's text, and neither names the
other. So a single lie takes no answer from it; a campaign needs two unlike pages on two domains, and more of them than
there are true ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.claim import Claim, claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    call_message,
    calls_message,
    is_error,
    parameters_of,
    tool_results,
)

RESULTS = 10
PAGES = 8
SOURCES = 2
"""How many independent sources of the web an answer needs."""

SHINGLE_WORDS = 4
ECHO = 0.5
"""From this share of the shorter text's shingles found in the other one on, the two are one text."""

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_SECOND_LEVEL = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))


class ScepticPolicy:
    """The chain call if there is one, then web_search and url_fetching; "unknown" below two independent sources."""

    def __init__(self, brief: PolicyHints) -> None:
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Ask the authority; else search, open, and compare the sources."""
        recipe, results = self._recipe, tool_results(messages)
        if recipe is None:
            return answer_message(UNKNOWN)
        chain = parameters_of(tools, recipe.chain.tool) if recipe.chain else None
        if recipe.chain is not None and chain is not None:
            if not results:
                return call_message(recipe.chain.tool, recipe.chain_arguments(chain), chain, 1)
            said = None if is_error(results[0]) else canonical_bytes(results[0]).decode("utf-8", "replace")
            if said is not None and (answer := recipe.in_chain_output(said)):
                return answer_message(answer)
            results = results[1:]
        return self._from_web(recipe, results, tools)

    def _from_web(self, recipe: FilledRecipe, results: Sequence[Any], tools: Sequence[Wire]) -> dict[str, Any]:
        search, fetch = parameters_of(tools, "web_search"), parameters_of(tools, "url_fetching")
        if not results:
            if search is None:
                return answer_message(UNKNOWN)
            return call_message("web_search", {"query": recipe.query, "limit": RESULTS}, search, 2)
        found = hits(results[0])[:PAGES]
        if len(results) == 1 and found and fetch is not None:
            return calls_message([("url_fetching", {"url": hit["url"]}, fetch) for hit in found], 3)
        source = agreed(claims(recipe, found, results[1:]), recipe)
        return answer_message(source.answer, evidence(recipe, source)) if source else answer_message(UNKNOWN)


def agreed(sources: Sequence[Claim], recipe: FilledRecipe) -> Claim | None:
    """The first source of the answer with the most independent ones, at least ``SOURCES``; None without such an answer,
    or when two tie."""
    backed: dict[str, list[Claim]] = {}
    for source in sources:
        backers = backed.setdefault(same_form(source.answer), [])
        if all(independent(source, other, recipe) for other in backers):
            backers.append(source)
    ranked = sorted(backed.values(), key=len, reverse=True)
    if not ranked or len(ranked[0]) < SOURCES or (len(ranked) > 1 and len(ranked[1]) == len(ranked[0])):
        return None
    return ranked[0][0]


def independent(one: Claim, other: Claim, recipe: FilledRecipe) -> bool:
    """Whether two sources that agree are two: other owners, other texts beside the claim itself, no reference."""
    domains = registrable_domain(one.url), registrable_domain(other.url)
    if domains[0] == domains[1] or domains[1] in one.text.casefold() or domains[0] in other.text.casefold():
        return False
    shorter, longer = sorted((_shingles(recipe.without_claims(source.text)) for source in (one, other)), key=len)
    return bool(shorter) and len(shorter & longer) < ECHO * len(shorter)


def registrable_domain(url: str) -> str:
    """Whose address it is: the last two labels of its host, three below the likes of ``co.uk``; never empty."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        host = ""
    labels = host.split(".")
    if not host or ":" in host or labels[-1].isdigit():
        return host or url
    owned = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-owned:])


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1))
