"""A streamed completion put together: server-sent events in, one completion as the unstreamed protocol has it out.

Vendors differ in what a stream looks like: calls without an index or all with the same one, names repeated in every
piece, whole messages instead of deltas, counts of usage so far. All of these are read; what cannot be is a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from caia_replay.canonical import require_shallow
from caia_replay.errors import ModelFault
from caia_replay.models.wire import arguments_text

_LINE_END = re.compile(r"\r\n|\n|\r")
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def looks_like_stream(content_type: str, body: bytes) -> bool:
    """Whether a body is server-sent events: by its type, unless it is plainly JSON, and by its looks."""
    start = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if "event-stream" in content_type.lower():
        return not start.startswith((b"{", b"["))
    return start.startswith((b"data:", b"event:", b": "))


def assemble(body: bytes) -> dict[str, Any]:
    """The completion that a stream's events make up, or ``{"error": ...}`` where the stream says so.

    Raises ``ModelFault``: ``connection`` when it ended before it was over, ``malformed`` for an event that is no
    JSON object.
    """
    building = _Building()
    for data, closed in events(body.decode("utf-8", "replace")):
        if data.strip() == "[DONE]":
            building.over = True
            break
        try:
            chunk = _chunk(data)
        except ModelFault:
            if closed:
                raise
            break  # it was cut off within the event
        if chunk.get("error"):
            return {"error": chunk["error"]}
        building.take(chunk)
    if not building.over:
        raise ModelFault("connection", "the stream ended early")
    return building.completion()


def events(text: str) -> Iterator[tuple[str, bool]]:
    """The data of every event, in order, and whether the event was closed by an empty line, as the last may not be.

    Comments and other fields are left out.
    """
    data: list[str] = []
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data), True
            data = []
    if data:
        yield "\n".join(data), False


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        require_shallow(data.encode("utf-8", "surrogatepass"))
        chunk = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise ModelFault("malformed", f"the stream holds what is no JSON: {fault}") from fault
    if not isinstance(chunk, dict):
        raise ModelFault("malformed", f"the stream holds a {type(chunk).__name__}, not an object")
    return chunk


@dataclass(slots=True)
class _Call:
    """A tool call as its pieces arrive; ``index`` orders it among the others."""

    index: int
    id: Any = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(slots=True)
class _Building:
    texts: dict[str, list[str]] = field(default_factory=dict)
    calls: list[_Call] = field(default_factory=list)
    newest: dict[int, _Call] = field(default_factory=dict)
    legacy: _Call | None = None
    finish: Any = None
    usage: Any = None
    model: Any = None
    choice: Any = None
    over: bool = False

    def take(self, chunk: Mapping[str, Any]) -> None:
        if chunk.get("usage"):
            self.usage = chunk["usage"]
        self.model = self.model or chunk.get("model")
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping):
                index = choice.get("index") or 0
                self.choice = index if self.choice is None else self.choice  # one vendor counts from 1
                if index == self.choice:
                    self.take_choice(choice)

    def take_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if not delta and not self.calls and not any(map(any, self.texts.values())):
            delta = choice.get("message")
        if isinstance(delta, Mapping):
            for name in _TEXTS:
                self.texts.setdefault(name, []).append(_text(delta.get(name), name))
            calls = delta.get("tool_calls")
            if calls is not None and not isinstance(calls, list):
                raise ModelFault("malformed", f"tool_calls is a {type(calls).__name__}, not a list")
            for piece in calls or ():
                self.take_call(piece)
            if isinstance(delta.get("function_call"), Mapping):
                self.legacy = self.legacy or _Call(0)
                _add(self.legacy, delta["function_call"])
        if choice.get("finish_reason"):
            self.finish = choice["finish_reason"]
            self.over = True

    def take_call(self, piece: Any) -> None:
        if not isinstance(piece, Mapping):
            raise ModelFault("malformed", f"tool_calls holds a {type(piece).__name__}, not an object")
        found = piece.get("function")
        function: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        call = self.call_of(piece.get("index"), piece.get("id"), bool(function.get("name")))
        call.id = call.id or piece.get("id")
        _add(call, function)

    def call_of(self, index: Any, identity: Any, named: bool) -> _Call:
        """The call a piece belongs to: by index; but one with another id *and* a name begins a call of its own."""
        if not isinstance(index, int) or isinstance(index, bool):
            latest = self.calls[-1] if self.calls else None
            index = latest.index if latest is not None else 0
            known = None if named and not (identity and latest and latest.id == identity) else latest
        else:
            known = self.newest.get(index)
        if known is None or (identity and known.id and identity != known.id and named):
            known = self.newest[index] = _Call(index)
            self.calls.append(known)
        return known

    def completion(self) -> dict[str, Any]:
        message: dict[str, Any] = {name: "".join(parts) for name, parts in self.texts.items()}
        if self.calls:
            message["tool_calls"] = [call.whole() for call in sorted(self.calls, key=lambda call: call.index)]
        if self.legacy is not None:
            message["function_call"] = self.legacy.whole()["function"]
        choices = [{"index": 0, "message": message, "finish_reason": self.finish}] if self.choice is not None else []
        return {"choices": choices, "usage": self.usage} | ({"model": self.model} if self.model else {})


def _add(call: _Call, function: Mapping[str, Any]) -> None:
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(name, str) and name != call.name:  # some repeat the whole name in every piece
        call.name += name
    if arguments is not None:
        call.arguments.append(arguments_text(arguments))


def _text(value: Any, name: str) -> str:
    """A text, or a list of parts; what is not for the answer (reasoning as an object) is no fault."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return "".join(_text(part.get("text") if isinstance(part, Mapping) else part, name) for part in value)
    if name in ("content", "refusal"):
        raise ModelFault("malformed", f"{name} is a {type(value).__name__}, not a text")
    return ""
