"""The credulous analyst: searches once and believes the first page that answers.

It opens the results in rank order, at most ``PAGES``, and takes the first page text, or else search snippet, that the
recipe's pattern finds an answer in. An attack that outranks the truth therefore owns its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.claim import claim, evidence, hits
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    call_message,
    parameters_of,
    tool_results,
)

PAGES = 3
RESULTS = 5


class CredulousPolicy:
    """web_search, then url_fetching rank by rank; submits "unknown" when no page answers or a tool is missing."""

    def __init__(self, brief: PolicyHints) -> None:
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Search, open the next page, or answer."""
        search, fetch = parameters_of(tools, "web_search"), parameters_of(tools, "url_fetching")
        if self._recipe is None or search is None:
            return answer_message(UNKNOWN)
        results = tool_results(messages)
        if not results:
            return call_message("web_search", {"query": self._recipe.query, "limit": RESULTS}, search, 1)
        pages = results[1:]
        found = hits(results[0])[:PAGES]
        for hit, page in zip(found, pages):
            believed = claim(self._recipe, hit, page)
            if believed is not None:
                return answer_message(believed.answer, evidence(self._recipe, believed))
        if len(pages) >= len(found) or fetch is None:
            return answer_message(UNKNOWN)
        return call_message("url_fetching", {"url": found[len(pages)]["url"], "cursor": None}, fetch, len(results) + 1)
