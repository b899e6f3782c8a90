"""Whether a replay asks what was asked when the tape was made: messages and tools, and in which place they part.

All else in a request (the model's name, seed, temperature, limits, streaming, strict schemas) may differ: another
endpoint wants other parameters, and the recorded answer is the same. Endpoints also differ in how they call the
instructions, so ``system``, ``developer`` and ``user`` are one role here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from caia_replay.canonical import canonical_bytes, strict_json

SHOWN = 80
"""Characters of a difference, of each side."""
_BEFORE = 20
_ASKING = ("system", "developer", "user")


def first_difference(recorded: str, asked: str) -> str:
    """Where the request body ``asked`` first differs from the ``recorded`` one, in words; empty where it does not."""
    try:
        there, here = _object(recorded), _object(asked)
    except ValueError as fault:
        return f"the recorded request cannot be read: {fault}"
    messages = zip_longest(_list(there, "messages"), _list(here, "messages"), fillvalue=_NOTHING)
    for number, (was, now) in enumerate(messages, 1):
        if value := _message_difference(number, was, now):
            return value
    tools = zip_longest(_list(there, "tools"), _list(here, "tools"), fillvalue=_NOTHING)
    for was, now in tools:
        if value := _tool_difference(was, now):
            return value
    return ""


class _Nothing:
    """Stands where one side has come to its end."""


_NOTHING = _Nothing()


def _object(text: str) -> Mapping[str, Any]:
    value = strict_json(text)
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _list(body: Mapping[str, Any], name: str) -> list[Any]:
    value = body.get(name)
    return [] if value is None else value if isinstance(value, list) else [value]


def _message_difference(number: int, was: Any, now: Any) -> str:
    if now is _NOTHING:
        return f"message {number} ({_role(was)}) was recorded and is not asked: {_start(_text(was))}"
    if was is _NOTHING:
        return f"message {number} ({_role(now)}) is asked and was not recorded: {_start(_text(now))}"
    was, now = _meaning(was), _meaning(now)
    if _role(now) in _ASKING and _role(was) in _ASKING:
        was = {**was, "role": now["role"]}
    if canonical_bytes(was) == canonical_bytes(now):
        return ""
    if _role(was) != _role(now):
        return f"message {number}: recorded as {_role(was)}, asked as {_role(now)}; {_sides(_text(was), _text(now))}"
    return f"message {number} ({_role(now)}): {_sides(_text(was), _text(now))}"


def _tool_difference(was: Any, now: Any) -> str:
    if now is _NOTHING:
        return f"tool {_tool_name(was)} was offered when it was recorded, and is not now"
    if was is _NOTHING:
        return f"tool {_tool_name(now)} is offered, and was not when it was recorded"
    first, second = canonical_bytes(_schema(was)), canonical_bytes(_schema(now))
    if first == second:
        return ""
    if _tool_name(was) != _tool_name(now):
        return f"tool {_tool_name(was)} was recorded where {_tool_name(now)} is offered"
    return f"tool {_tool_name(now)}: {_sides(_decoded(first), _decoded(second))}"


def _meaning(message: Any) -> Any:
    """A message without what says nothing: a member that is absent, null, an empty text or an empty list is one."""
    if not isinstance(message, dict):
        return message
    return {name: value for name, value in message.items() if value is not None and value != "" and value != []}


def _schema(tool: Any) -> Any:
    """A tool without the mark ``strict``."""
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict):
        return tool
    return {**tool, "function": {name: value for name, value in function.items() if name != "strict"}}


def _role(message: Any) -> str:
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else "no role"


def _text(message: Any) -> str:
    """What is shown of a message: its text where that is all it has, else all of it."""
    if isinstance(message, dict):
        rest = {name: value for name, value in _meaning(message).items() if name != "role"}
        if rest.keys() == {"content"} and isinstance(rest["content"], str):
            return str(rest["content"])
        return _decoded(canonical_bytes(rest))
    return _decoded(canonical_bytes(message))


def _tool_name(tool: Any) -> str:
    function = tool.get("function") if isinstance(tool, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return f"{name!r:.60}" if isinstance(name, str) else "without a name"


def _sides(was: str, now: str) -> str:
    """Both texts from a little before they part."""
    if was == now:
        return "they differ in what is not text"
    same = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    start = max(same - _BEFORE, 0)
    return f"from character {same + 1}, recorded {_start(was[start:])}, asked {_start(now[start:])}"


def _start(text: str) -> str:
    return repr(text[:SHOWN]) + ("..." if len(text) > SHOWN else "")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
