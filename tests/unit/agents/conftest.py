"""A scripted model and small toolsets, which every agent is played against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Price, Usage
from caia_replay.core.tool import Served, ToolReply, ToolSpec

QUESTION = "What is 1 + 2?\n\n[asked at: ...]"
Line = Message | Completion | Exception
PRICE = Price("1000000", "2000000", "2025-01-01", "a test")
"""One dollar a prompt token, two a completion's."""


class Script:
    """A session that says its lines in order, the last one for ever, and keeps what it was shown and offered."""

    def __init__(self, *lines: Line) -> None:
        self.lines = list(lines)
        self.seen: list[tuple[Message, ...]] = []
        self.offered: list[tuple[ToolSpec, ...]] = []
        self.limits: list[int | None] = []

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """The next line; a message costs one prompt and one completion token."""
        self.seen.append(tuple(messages))
        self.offered.append(tuple(tools))
        self.limits.append(most_tokens)
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, Completion) else Completion(line, Usage(1, 1), "stop")

    def close(self) -> None:
        """Nothing to close."""


class Sums:
    """A toolset with one tool that adds, and keeps what it executed; ``fault`` breaks the world instead."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.executed: list[tuple[str, str]] = []

    def specs(self) -> tuple[ToolSpec, ...]:
        parameters = MappingProxyType({"type": "object", "required": ("numbers",)})
        return (ToolSpec("add", "Adds $numbers.", parameters, "Execution", "authoritative"),)

    def call(self, name: str, arguments: str) -> ToolReply:
        """The sum, or an ERROR reply as toolsets give it."""
        self.executed.append((name, arguments))
        if self.fault:
            raise self.fault
        try:
            numbers = json.loads(arguments)["numbers"]
            total = sum(numbers)
        except (ValueError, KeyError, TypeError, RecursionError):
            return ToolReply(Served.ERROR, error={"code": "bad_arguments"})
        if name != "add":
            return ToolReply(Served.ERROR, error={"code": "unknown_tool"})
        return ToolReply(Served.COMPUTED, MappingProxyType({"sum": total, "of": tuple(numbers)}))


class NoTools(Sums):
    """The toolset of the no-tools condition."""

    def specs(self) -> tuple[ToolSpec, ...]:
        return ()

    def call(self, name: str, arguments: str) -> ToolReply:
        return ToolReply(Served.ERROR, error={"code": "unknown_tool"})


def says(text: str) -> Message:
    return Message("assistant", text)


def calls(*wanted: tuple[str, str], text: str = "") -> Message:
    """A message with calls (name, arguments)."""
    return Message("assistant", text, tuple(ToolCall(f"c{n}", *call) for n, call in enumerate(wanted)))


def adds(*numbers: int) -> Message:
    return calls(("add", json.dumps({"numbers": numbers})))


def cut_off(text: str) -> Completion:
    return Completion(says(text), Usage(1, 1), "length")


def declines(text: str = "I cannot help with that.") -> Completion:
    return Completion(says(text), Usage(1, 1), "stop", refused=True)
