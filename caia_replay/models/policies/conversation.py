"""How policies read and write OpenAI chat messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from caia_replay.canonical import canonical_bytes, strict_json

Wire = Mapping[str, Any]

SOURCE_SAYS = "The source says: "
"""What stands before a quotation."""
_CONTRACT_WORDS = re.compile(r"final\s+answer|最终答案", re.IGNORECASE)


class Policy(Protocol):
    """One run's script. ``respond`` is pure: equal messages and tools give an equal message."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next assistant message, given the request's ``messages`` and ``tools`` arrays."""
        ...


def tool_results(messages: Sequence[Wire]) -> list[Any]:
    """What every tool message so far says, parsed, in order; None where one is no JSON, which counts as an error."""
    return [parsed(message.get("content")) for message in messages if message.get("role") == "tool"]


def calls_made(messages: Sequence[Wire]) -> list[tuple[str, Any, Any]]:
    """Every call so far that has its result: the tool, the parsed arguments, the parsed result, in order."""
    calls = [one["function"] for message in messages for one in message.get("tool_calls") or ()]
    return [(call["name"], parsed(call["arguments"]), result) for call, result in zip(calls, tool_results(messages))]


def parsed(text: Any) -> Any:
    """A JSON text's value; None for anything else."""
    try:
        return strict_json(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def is_error(result: Any) -> bool:
    """Whether a tool message reports an error instead of a result."""
    return not isinstance(result, Mapping) or result.keys() == {"error"}


def parameters_of(tools: Sequence[Wire], name: str) -> Wire | None:
    """The parameter schemas of the offered tool ``name`` by parameter; None when it is not offered."""
    return offered(tools).get(name)


def offered(tools: Sequence[Wire]) -> dict[str, Wire]:
    """The parameter schemas of every offered tool by its name, in the order offered."""
    return {tool["function"]["name"]: tool["function"]["parameters"].get("properties", {}) for tool in tools}


def call_message(tool: str, arguments: Wire, parameters: Wire, number: int) -> dict[str, Any]:
    """An assistant message with one call; parameters not given are sent as null, as strict schemas ask."""
    return {"role": "assistant", "content": None, "tool_calls": [call(tool, arguments, parameters, f"call_{number}")]}


def calls_message(calls: Sequence[tuple[str, Wire, Wire]], first: int) -> dict[str, Any]:
    """An assistant message with several calls at once, each (tool, arguments, parameters), numbered from ``first``."""
    made = [call(*one, identity=f"call_{number}") for number, one in enumerate(calls, first)]
    return {"role": "assistant", "content": None, "tool_calls": made}


def call(tool: str, arguments: Wire, parameters: Wire, identity: str) -> dict[str, Any]:
    """One call of a message, as in ``call_message``."""
    complete = dict.fromkeys(parameters) | dict(arguments)
    function = {"name": tool, "arguments": canonical_bytes(complete).decode("utf-8", "replace")}
    return {"id": identity, "type": "function", "function": function}


def answer_message(answer: str, evidence: str = "") -> dict[str, Any]:
    """A final answer, on one line by the answer contract; above it, on one line, what a source says, if anything.
    The rows of a table, a line each with " | " between its cells, become a JSON list of lists.

    The evidence may be hostile: no line of its own, and none of the contract's words, can make an answer of it.
    """
    text = _CONTRACT_WORDS.sub("[...]", " ".join(evidence.split()))
    quoted = f"{SOURCE_SAYS}{text}\n" if text else ""
    rows = [line.split(" | ") for line in answer.strip().split("\n")]
    told = canonical_bytes(rows).decode("utf-8", "replace") if len(rows) > 1 else " ".join(answer.split())
    return {"role": "assistant", "content": f"{quoted}FINAL ANSWER: {told}"}


def no_answer_message(why: str) -> dict[str, Any]:
    """A message that ends a run without an answer."""
    return {"role": "assistant", "content": why}


UNKNOWN = "unknown"
"""What a policy submits when its script finds nothing; no verifier reads it as right."""
