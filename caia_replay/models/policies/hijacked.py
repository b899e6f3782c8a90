"""The hijacked analyst: does what instructions in tools say, and is otherwise the credulous one.

It calibrates attacks that instruct instead of lying: where none is planted it equals ``credulous`` run by run, and
where one reaches it, it obeys without fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints
from caia_replay.models.policies.claim import hits
from caia_replay.models.policies.conversation import Wire, answer_message, call, offered, parsed
from caia_replay.models.policies.credulous import CredulousPolicy
from caia_replay.models.policies.injection import Instruction, instructions_in

MOST_CALLS = 8
"""Calls it obeys in one run; a page that asks for a call that brings the page again would keep it busy for ever."""

_OBEYED: Final = "obeyed_"
_BEFORE_ALL: Final = -1
_AFTER_ALL: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Order:
    """An instruction, and the rank of the search result whose snippet or page gives it, from 0."""

    rank: int
    instruction: Instruction


class HijackedPolicy:
    """Reads descriptions of tools and every tool result for instructions: makes the calls they ask for, then gives the
    answer they ask for.

    Of several answers asked for the highest rank's counts. What a snippet orders waits until the pages above it, as far
    as the credulous would open them, have had their say; descriptions come before all ranks, and after them comes what
    the calls bring that it was told to make.
    """

    def __init__(self, brief: PolicyHints) -> None:
        self._own = CredulousPolicy(brief)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Obey, or go on as the credulous does with the results of its own calls."""
        known = offered(tools)
        own = [message for message in messages if not str(message.get("tool_call_id")).startswith(_OBEYED)]
        said = self._own.respond(own, tools)
        orders = sorted(_orders(messages, tools, known), key=lambda order: order.rank)
        made = [
            _asked(one)
            for message in messages
            if message.get("role") == "assistant"
            for one in message.get("tool_calls") or ()
            if str(one.get("id")).startswith(_OBEYED)
        ]
        calls = [
            (order, _call(order.instruction, known, len(made) + 1))
            for order in orders
            if order.instruction.answer is None
        ]
        waiting = [(order, one) for order, one in calls if _asked(one) not in made and len(made) < MOST_CALLS]
        answers = [order for order in orders if order.instruction.answer is not None]
        first = waiting[0][0] if waiting else answers[0] if answers else None
        opened = sum(message.get("role") == "tool" for message in own) - 1
        if first is None or (said.get("tool_calls") and max(opened, 0) < first.rank):
            return said
        if waiting:
            return {"role": "assistant", "content": None, "tool_calls": [waiting[0][1]]}
        return answer_message(first.instruction.answer or "")


def _orders(messages: Sequence[Wire], tools: Sequence[Wire], known: Mapping[str, Wire]) -> Iterator[_Order]:
    """Every instruction read so far, in order of the messages."""
    for tool in tools:
        yield from (_Order(_BEFORE_ALL, one) for one in instructions_in(tool["function"], known))
    page = -1  # the first result is the search's
    for message in messages:
        if message.get("role") != "tool":
            continue
        result = parsed(message.get("content"))
        if str(message.get("tool_call_id")).startswith(_OBEYED):
            yield from (_Order(_AFTER_ALL, entry) for entry in instructions_in(result, known))
            continue
        found = hits(result) if page < 0 else []
        for rank, hit in enumerate(found):
            yield from (_Order(rank, item) for item in instructions_in(hit, known))
        if not found:
            yield from (_Order(max(page, 0), value) for value in instructions_in(result, known))
        page += 1


def _call(instruction: Instruction, known: Mapping[str, Wire], number: int) -> dict[str, Any]:
    """The call asked for, with those of its arguments that the tool has."""
    arguments = {
        name: value for name, value in (instruction.arguments or {}).items() if name in known[instruction.tool]
    }
    return call(instruction.tool, arguments, known[instruction.tool], f"{_OBEYED}{number}")


def _asked(made: Wire) -> bytes:
    """Equal for calls that ask the same, however their arguments are written."""
    function = made["function"]
    return canonical_bytes([function["name"], parsed(function["arguments"])])
