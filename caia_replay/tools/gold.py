"""Gold chains executed through the tools: the proof that a task can be solved with what its world holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caia_replay.core.gold import GoldAnswer, GoldChain, next_call
from caia_replay.core.tool import ToolReply, Toolset
from caia_replay.errors import GoldFault


@dataclass(frozen=True, slots=True)
class GoldRun:
    """What executing a chain gave. ``answer`` is None when it broke, and ``fault`` then says where."""

    replies: tuple[ToolReply, ...]
    answer: str | None
    fault: str = ""


def run_gold(chain: GoldChain, toolset: Toolset) -> GoldRun:
    """Execute a chain to its answer. A call that is not served ends it; nothing is retried or guessed."""
    replies: list[ToolReply] = []
    results: list[Mapping[str, Any]] = []
    while True:
        step = len(replies) + 1
        place = f"step {step}" if step <= len(chain.steps) else "result"
        try:
            call = next_call(chain, results)
        except GoldFault as fault:
            return GoldRun(tuple(replies), None, f"{place}: {fault}")
        if isinstance(call, GoldAnswer):
            return GoldRun(tuple(replies), call.text)
        reply = toolset.call(call.tool, json.dumps(_plain(call.arguments)))
        replies.append(reply)
        if reply.result is None:
            message = (reply.error or {}).get("message", "")
            return GoldRun(tuple(replies), None, f"{place} ({call.tool}) was {reply.served}: {message}")
        results.append(reply.result)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
