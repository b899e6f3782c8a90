"""The chain-only analyst: one call to one chain tool, and nothing from the web.

No page can change its answer, so its score is equal in every arm; it falls short of the oracle wherever a question
needs more than one call or arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    call_message,
    is_error,
    parameters_of,
    tool_results,
)


class ChainOnlyPolicy:
    """The recipe's chain call, its pattern over the result's canonical JSON; "unknown" without either."""

    def __init__(self, brief: PolicyHints) -> None:
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe and brief.recipe.chain else None

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The one call, then the answer read from its output."""
        if self._recipe is None or self._recipe.chain is None:
            return answer_message(UNKNOWN)
        results = tool_results(messages)
        if results:
            text = None if is_error(results[0]) else canonical_bytes(results[0]).decode("utf-8", "replace")
            return answer_message((text and self._recipe.in_chain_output(text)) or UNKNOWN)
        tool = self._recipe.chain.tool
        parameters = parameters_of(tools, tool)
        if parameters is None:
            return answer_message(UNKNOWN)
        return call_message(tool, self._recipe.chain_arguments(parameters), parameters, 1)
