"""The run that the harness is measured on: three tool calls, one a turn, then an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from caia_replay.models.policies.conversation import Wire, answer_message, call_message, parameters_of, tool_results

CALLS: Final = tuple(("time_conversion", {"time": f"2024-05-0{day}"}) for day in (1, 2, 3))
"""Cheap calls that read no world, so that what is measured is not the tools."""


class ThreeCalls:
    """A script: the three calls of the sample, then an answer."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next call, or the answer."""
        done = len(tool_results(messages))
        if done == len(CALLS):
            return answer_message("42")
        name, arguments = CALLS[done]
        return call_message(name, arguments, parameters_of(tools, name) or {}, done + 1)
