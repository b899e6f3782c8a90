"""Our messages and tools as OpenAI chat-completion JSON, and their completions as ours.

What a server sends is data of unknown quality: a field of the wrong type is a ``ModelFault("malformed")``, a field
that may be missing (usage, finish reason, a tool call's id or name) is filled in and marked where it matters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from caia_replay.canonical import canonical_bytes, require_shallow
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import ModelFault

MOST_CALLS = 512
"""Tool calls in one message; servers allow fewer, and more would keep a run from its end for hours."""
_NAME = re.compile(r"[^a-zA-Z0-9_-]")

LONGEST_NAME = 200
"""Characters of a model's name that are kept."""

MOST_TOKENS = 10**12
"""In one completion; a larger count is a fault of the server and is treated as not reported."""
BYTES_PER_TOKEN = 4


def messages_to_wire(messages: Sequence[Message], system_role: str = "system") -> list[dict[str, Any]]:
    """A conversation as the ``messages`` array, its instructions in the role the model reads them in."""
    return [message_to_wire(message, system_role) for message in messages]


def alternating(body: bytes) -> bytes:
    """A request's body with the user's messages that follow each other made one, an empty line between their texts.

    Some models' chat templates refuse all but user and assistant in turn, and no vendor minds. Only messages that are
    nothing but text are joined; a body without such, or that is no request, is given back to the byte.
    """
    if body.count(b'"user"') < 2:
        return body
    try:
        require_shallow(body)
        request = json.loads(body)
    except (ValueError, RecursionError):
        return body
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list):
        return body
    joined: list[Any] = []
    for message in messages:
        if joined and _is_plain_user(joined[-1]) and _is_plain_user(message):
            joined[-1] = {**message, "content": f"{joined[-1]['content']}\n\n{message['content']}"}
        else:
            joined.append(message)
    if len(joined) == len(messages):
        return body
    text = json.dumps(request | {"messages": joined}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _is_plain_user(message: Any) -> bool:
    if not isinstance(message, dict) or message.keys() != {"role", "content"}:
        return False
    return message["role"] == "user" and isinstance(message["content"], str)


def message_to_wire(message: Message, system_role: str = "system") -> dict[str, Any]:
    """One message as the ``messages`` array holds it."""
    role = system_role if message.role == "system" else message.role
    wire: dict[str, Any] = {"role": role, "content": message.content}
    if message.tool_calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": _sendable(call.name), "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _sendable(name: str) -> str:
    """A tool's name as servers accept it back: they refuse others, even where the model itself made them up."""
    return _NAME.sub("_", name)[:64] or "unnamed"


def tool_to_wire(spec: ToolSpec, *, strict: bool = True) -> dict[str, Any]:
    """One tool as the ``tools`` array holds it, its schema unchanged."""
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function | {"strict": True} if strict else function}


def completion_from_wire(
    completion: Mapping[str, Any],
    turn: int,
    *,
    hide: Callable[[str], str] = str,
    taken: set[str] | None = None,
    prompt_bytes: Callable[[], int] = lambda: 0,
) -> Completion:
    """The first choice of a completion's JSON.

    A tool call without an id is named after its ``turn``; an id in ``taken`` is not used again, and new ones go into
    it. ``hide`` takes out of every text what nobody may keep. ``prompt_bytes`` gives the prompt's size where usage must
    be estimated. What a model reasoned is no part of its message. Raises ``ModelFault("malformed")`` for no choices or
    fields of the wrong type.
    """
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ModelFault("malformed", "the completion holds no choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise ModelFault("malformed", "the completion's first choice holds no message")
    refusal = hide(_text(message.get("refusal"), "refusal"))
    content = hide(_text(message.get("content"), "content")) or refusal
    calls = _tool_calls(message, turn, hide, set() if taken is None else taken)
    finish = choice.get("finish_reason")
    reason = hide(_whole(finish)) if isinstance(finish, str) and finish else "unknown"
    thought = message.get("reasoning_content") or message.get("reasoning")
    said = [content, *(part for call in calls for part in (call.name, call.arguments))]
    said += [hide(thought)] if isinstance(thought, str) else []
    usage = read_usage(completion.get("usage"), said=any(said)) or estimated_usage(prompt_bytes(), said)
    served = completion.get("model")
    return Completion(
        Message("assistant", content, calls),
        usage,
        reason,
        refused=bool(refusal) or reason == "content_filter",
        served_as=hide(_whole(served))[:LONGEST_NAME] if isinstance(served, str) else "",
    )


def arguments_text(value: Any) -> str:
    """A call's arguments as a text; those that a server sent as JSON itself are written canonically."""
    if value is None or isinstance(value, str):
        return _whole(value or "")
    try:
        return _whole(canonical_bytes(value).decode("utf-8", "surrogatepass"))
    except ValueError:  # NaN and infinity: the tool will say what is wrong
        return _whole(json.dumps(value))


def _tool_calls(
    message: Mapping[str, Any], turn: int, hide: Callable[[str], str], taken: set[str]
) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    if not calls and isinstance(message.get("function_call"), Mapping):  # the form before tools
        calls = [{"function": message["function_call"]}]
    if calls is None:
        return ()
    if not isinstance(calls, list):
        raise ModelFault("malformed", f"tool_calls is a {type(calls).__name__}, not a list")
    if len(calls) > MOST_CALLS:
        raise ModelFault("malformed", f"{len(calls)} tool calls in one message; at most {MOST_CALLS} are read")
    return tuple(_tool_call(call, f"call_{turn}_{number}", hide, taken) for number, call in enumerate(calls, 1))


def _tool_call(call: Any, fallback_id: str, hide: Callable[[str], str], taken: set[str]) -> ToolCall:
    if not isinstance(call, Mapping):
        raise ModelFault("malformed", f"tool_calls holds a {type(call).__name__}, not an object")
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    name, identity = function.get("name"), call.get("id")
    known = hide(_whole(identity)) if isinstance(identity, str) else ""
    while not known or known in taken:
        known, fallback_id = fallback_id, fallback_id + "x"
    taken.add(known)
    return ToolCall(
        known,
        hide(_whole(name)) if isinstance(name, str) else "",
        hide(arguments_text(function.get("arguments"))),
    )


def _text(value: Any, field: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list):  # content as parts, the newer form
        return "".join(_part(part, field) for part in value)
    if not isinstance(value, str):
        raise ModelFault("malformed", f"{field} is a {type(value).__name__}, not a text")
    return _whole(value)


def _part(part: Any, field: str) -> str:
    if isinstance(part, Mapping) and part.get("type") in ("thinking", "reasoning"):
        return ""
    text = part
    if isinstance(part, Mapping):  # an empty text is one: what held nothing but a key is left so on a tape
        text = part.get("text") or part.get("refusal") or part.get("text")
    if not isinstance(text, str):
        raise ModelFault("malformed", f"{field} holds a part without text")
    return _whole(text)


def _whole(text: str) -> str:
    """``text`` with halves of surrogate pairs replaced: nothing could send or store them later."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_usage(usage: Any, *, said: bool) -> Usage | None:
    """What a completion's ``usage`` reports; None when it is missing or nonsense.

    There is always a prompt, and where something was ``said`` it cost something: zeros then are nonsense too. Some
    servers leave reasoning out of the completion's count and put it into the total alone; it is put back.
    """
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if not prompt or completion is None or (said and not completion):
        return None
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    unlisted = (_count(usage.get("total_tokens")) or 0) - prompt - completion
    if unlisted > 0 and reasoning in (0, unlisted):
        reasoning = unlisted
        completion += unlisted
    cached = (
        _detail(usage, "prompt_tokens_details", "cached_tokens")
        or _count(usage.get("prompt_cache_hit_tokens"))
        or _count(usage.get("cached_tokens"))
        or 0
    )
    return Usage(prompt, completion, True, min(cached, prompt), min(reasoning, completion))


def estimated_usage(prompt_bytes: int, said: Iterable[str]) -> Usage:
    """An estimate, marked as one: a token per four bytes of UTF-8, rounded up."""
    return Usage(_tokens(prompt_bytes), _tokens(sum(map(_bytes, said))), reported=False)


def prompt_bytes(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
    """The bytes of every text a request holds: messages, calls, and the tools' descriptions and schemas."""
    texts = [message.content for message in messages]
    texts += [part for message in messages for call in message.tool_calls for part in (call.name, call.arguments)]
    texts += [part for tool in tools for part in (tool.name, tool.description, json.dumps(tool.parameters))]
    return sum(map(_bytes, texts))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if usable else None


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int:
    details = usage.get(group)
    return (_count(details.get(name)) or 0) if isinstance(details, Mapping) else 0
