"""What a model reads of its tools: canonical JSON on one line, text that any server takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.core.tool import ToolReply


def shown_text(reply: ToolReply) -> str:
    """A reply as the model sees it."""
    return json_line(reply.shown())


def json_line(value: Any) -> str:
    """Canonical JSON; holds no newline, and halves of broken surrogate pairs become U+FFFD."""
    return canonical_bytes(_plain(value)).decode("utf-8", "replace")


def json_lines(values: Iterable[Any]) -> str:
    """One canonical JSON object a line."""
    return "\n".join(map(json_line, values))


def _plain(value: Any) -> Any:
    """Frozen mappings and tuples as the dicts and lists JSON knows."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
