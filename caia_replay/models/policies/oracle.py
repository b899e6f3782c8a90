"""The oracle: executes the gold steps through the agent's own tools.

It scores 1.0 exactly where the world, the tools and the agent loop let a perfect analyst score. It holds the gold
*steps* and never the gold answer: what it submits is computed from what the tools told it in this run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.core.gold import GoldAnswer, next_call
from caia_replay.core.model import PolicyHints
from caia_replay.errors import BadInput, GoldFault
from caia_replay.models.policies.conversation import (
    Wire,
    answer_message,
    call_message,
    is_error,
    no_answer_message,
    parameters_of,
    tool_results,
)


class OraclePolicy:
    """Gold steps in order; ends without an answer when a tool fails, is not offered, or a reference does not fit."""

    def __init__(self, brief: PolicyHints) -> None:
        if brief.gold is None:
            raise BadInput("policy/oracle needs the task's gold steps", where="brief.gold")
        self._gold = brief.gold

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next gold call, or the answer computed from the results in ``messages``."""
        results = tool_results(messages)
        if any(is_error(result) for result in results):
            return no_answer_message("A tool failed; the gold chain ends here.")
        try:
            step = next_call(self._gold, results)
        except GoldFault as fault:
            return no_answer_message(f"The gold chain does not fit what the tools returned: {fault}")
        if isinstance(step, GoldAnswer):
            return answer_message(step.text)
        parameters = parameters_of(tools, step.tool)
        if parameters is None:
            return no_answer_message(f"The gold chain needs {step.tool}, which is not offered.")
        return call_message(step.tool, step.arguments, parameters, len(results) + 1)
