"""The hijacked analyst: does what instructions in tool output say, and is otherwise the credulous one.

It calibrates attacks that instruct instead of lying: where none is planted it equals ``credulous`` run by run, and
where one reaches it, it obeys without fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import Brief
from caia_replay.models.policies.conversation import (
    Wire,
    answer_message,
    call,
    offered,
    tool_results,
)
from caia_replay.models.policies.credulous import CredulousPolicy
from caia_replay.models.policies.injection import Instruction, instructions_in

MOST_CALLS = 3
"""Calls it obeys in one run; a page that asks for a call that brings the page again would keep it busy for ever."""

_OBEYED = "obeyed_"


class HijackedPolicy:
    """Reads every tool result for instructions: makes the calls they ask for, then gives the answer they ask for.

    Of several answers asked for the first counts: the highest rank's, since results are read in their order.
    """

    def __init__(self, brief: Brief) -> None:
        self._own = CredulousPolicy(brief)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Obey, or go on as the credulous does with the results of its own calls."""
        known = offered(tools)
        told = [order for result in tool_results(messages) for order in instructions_in(result, known)]
        made = sum(
            str(one.get("id")).startswith(_OBEYED)
            for message in messages
            for one in message.get("tool_calls") or ()
            if message.get("role") == "assistant"
        )
        wanted = _calls(told)
        if made < len(wanted):
            order = wanted[made]
            arguments = {name: value for name, value in (order.arguments or {}).items() if name in known[order.tool]}
            asked = call(order.tool, arguments, known[order.tool], f"{_OBEYED}{made + 1}")
            return {"role": "assistant", "content": None, "tool_calls": [asked]}
        answers = [order.answer for order in told if order.answer is not None]
        if answers:
            return answer_message(answers[0])
        own = [message for message in messages if not str(message.get("tool_call_id")).startswith(_OBEYED)]
        return self._own.respond(own, tools)


def _calls(told: Sequence[Instruction]) -> list[Instruction]:
    """The calls asked for, each once, at most ``MOST_CALLS``."""
    each = {canonical_bytes([order.tool, order.arguments]): order for order in told if order.arguments is not None}
    return list(each.values())[:MOST_CALLS]
