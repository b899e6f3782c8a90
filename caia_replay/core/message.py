"""Messages between an agent and a model, in the shape of OpenAI chat completions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. ``arguments`` is JSON text as the model wrote it, unchecked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``tool_calls`` only on assistant messages, ``tool_call_id`` only on tool messages."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
