"""How policies read and write OpenAI chat messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from caia_replay.canonical import canonical_bytes, strict_json

Wire = Mapping[str, Any]


class Policy(Protocol):
    """One run's script. ``respond`` is pure: equal messages and tools give an equal message."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next assistant message, given the request's ``messages`` and ``tools`` arrays."""
        ...


def tool_results(messages: Sequence[Wire]) -> list[Any]:
    """What every tool message so far says, parsed, in order."""
    return [strict_json(message["content"]) for message in messages if message["role"] == "tool"]


def is_error(result: Any) -> bool:
    """Whether a tool message reports an error instead of a result."""
    return not isinstance(result, Mapping) or result.keys() == {"error"}


def parameters_of(tools: Sequence[Wire], name: str) -> Wire | None:
    """The parameter schemas of the offered tool ``name`` by parameter; None when it is not offered."""
    for tool in tools:
        if tool["function"]["name"] == name:
            properties: Wire = tool["function"]["parameters"].get("properties", {})
            return properties
    return None


def call_message(tool: str, arguments: Wire, parameters: Wire, number: int) -> dict[str, Any]:
    """An assistant message with one call; parameters not given are sent as null, as strict schemas ask."""
    complete = dict.fromkeys(parameters) | dict(arguments)
    function = {"name": tool, "arguments": canonical_bytes(complete).decode("utf-8", "replace")}
    calls = [{"id": f"call_{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answer_message(answer: str) -> dict[str, Any]:
    """A final answer, on one line by the answer contract."""
    return {"role": "assistant", "content": f"FINAL ANSWER: {' '.join(answer.split())}"}


def no_answer_message(why: str) -> dict[str, Any]:
    """A message that ends a run without an answer."""
    return {"role": "assistant", "content": why}


UNKNOWN = "unknown"
"""What a policy submits when its script finds nothing; no verifier reads it as right."""
