"""Our messages and tools as OpenAI chat-completion JSON, and their completions as ours.

What a server sends is data of unknown quality: a field of the wrong type is a ``ModelFault("malformed")``, a field
that may be missing (usage, finish reason, a tool call's id) is filled in and marked where it matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import ModelFault

MOST_TOKENS = 10**12
"""In one completion; a larger count is a fault of the server and is treated as not reported."""


def message_to_wire(message: Message) -> dict[str, Any]:
    """One message as the ``messages`` array holds it."""
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def tool_to_wire(spec: ToolSpec) -> dict[str, Any]:
    """One tool as the ``tools`` array holds it, its strict schema unchanged."""
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
            "strict": True,
        },
    }


def completion_from_wire(completion: Any, turn: int, hide: Callable[[str], str] = str) -> Completion:
    """The first choice of a parsed ``ChatCompletion``; ``turn`` names tool calls that came without an id
    and ``hide`` takes out of every text what nobody may keep.

    Raises ``ModelFault("malformed")`` for no choices or fields of the wrong type.
    """
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise ModelFault("malformed", "the completion holds no choices")
    message = getattr(choices[0], "message", None)
    if message is None or isinstance(message, (str, Mapping)):
        raise ModelFault("malformed", "the completion's first choice holds no message")
    text = _text(getattr(message, "content", None), "content") or _text(getattr(message, "refusal", None), "refusal")
    calls = tuple(
        ToolCall(hide(call.id), hide(call.name), hide(call.arguments))
        for call in _tool_calls(getattr(message, "tool_calls", None), turn)
    )
    finish = getattr(choices[0], "finish_reason", None)
    return Completion(
        Message("assistant", hide(text), calls),
        _usage(getattr(completion, "usage", None)),
        hide(_whole(finish)) if isinstance(finish, str) and finish else "unknown",
    )


def _tool_calls(calls: Any, turn: int) -> tuple[ToolCall, ...]:
    if calls is None:
        return ()
    if not isinstance(calls, list):
        raise ModelFault("malformed", f"tool_calls is a {type(calls).__name__}, not a list")
    return tuple(_tool_call(call, f"call_{turn}_{number}") for number, call in enumerate(calls, 1))


def _tool_call(call: Any, fallback_id: str) -> ToolCall:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None), getattr(function, "arguments", None)
    if not isinstance(name, str):
        raise ModelFault("malformed", "a tool call names no function")
    identity = getattr(call, "id", None)
    return ToolCall(
        _whole(identity) if isinstance(identity, str) and identity else fallback_id,
        _whole(name),
        _text(arguments, "arguments"),
    )


def _usage(usage: Any) -> Usage:
    counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
    prompt, completion = (
        count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS else None
        for count in counts
    )
    if prompt is None or completion is None:
        return Usage(0, 0, reported=False)
    return Usage(prompt, completion)


def _text(value: Any, field: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list):  # content as parts, the newer form
        return "".join(_part(part, field) for part in value)
    if not isinstance(value, str):
        raise ModelFault("malformed", f"{field} is a {type(value).__name__}, not a text")
    return _whole(value)


def _part(part: Any, field: str) -> str:
    text = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", None)
    if not isinstance(text, str):
        raise ModelFault("malformed", f"{field} holds a part without text")
    return _whole(text)


def _whole(text: str) -> str:
    """``text`` with halves of surrogate pairs replaced: nothing could send or store them later."""
    return text.encode("utf-8", "replace").decode("utf-8")


def messages_to_wire(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """A conversation as the ``messages`` array."""
    return [message_to_wire(message) for message in messages]
