"""A world whose APIs say what a test lets them say, for replies that no sound vendor sends."""

from __future__ import annotations

from typing import Any, cast

from caia_replay.tools.tool_context import ToolContext


class Told:
    """Answers questions with ``replies`` in their order, and keeps what was asked."""

    def __init__(self, *replies: Any, now: int = 1_725_203_188) -> None:
        self.now = now
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._replies = list(replies)

    def ask(self, url: str, **parameters: Any) -> Any:
        self.asked.append((url, parameters))
        return self._replies.pop(0)


def told(*replies: Any, now: int = 1_725_203_188) -> ToolContext:
    """The same where a tool's world is wanted."""
    return cast(ToolContext, Told(*replies, now=now))
