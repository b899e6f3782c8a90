"""Tokens: what a server reports, where that can be believed, and an estimate where not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caia_replay.core.message import Message
from caia_replay.core.model import Usage
from caia_replay.core.tool import ToolSpec

MOST_TOKENS = 10**12
"""In one completion; a larger count is a fault of the server and is treated as not reported."""
BYTES_PER_TOKEN = 4


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
