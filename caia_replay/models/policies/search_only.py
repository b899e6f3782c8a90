"""The web-only analyst: opens what a search finds and takes the answer most sources give.

It never asks the chain. One planted page cannot outvote two true ones, so it loses less to an attack than the
credulous; but where the truth stands on one page only, a lie that ranks higher wins the tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.claim import claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    call_message,
    calls_message,
    parameters_of,
    tool_results,
)

RESULTS = 10
PAGES = 5


class SearchOnlyPolicy:
    """web_search, then url_fetching of the first ``PAGES`` results at once; a vote each, and ties go to the rank."""

    def __init__(self, brief: PolicyHints) -> None:
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Search, open, vote."""
        search, fetch = parameters_of(tools, "web_search"), parameters_of(tools, "url_fetching")
        results = tool_results(messages)
        if self._recipe is None or (search is None and not results):
            return answer_message(UNKNOWN)
        if not results:
            return call_message("web_search", {"query": self._recipe.query, "limit": RESULTS}, search or {}, 1)
        found = hits(results[0])
        if len(results) == 1 and found and fetch is not None:
            return calls_message([("url_fetching", {"url": hit["url"]}, fetch) for hit in found[:PAGES]], 2)
        votes = claims(self._recipe, found, results[1:])
        counted = Counter(same_form(vote.answer) for vote in votes)
        most = max(counted.values(), default=0)
        winner = next((vote for vote in votes if counted[same_form(vote.answer)] == most), None)
        return answer_message(winner.answer, evidence(self._recipe, winner)) if winner else answer_message(UNKNOWN)
