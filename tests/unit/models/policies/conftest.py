"""What scripts are asked with, and how their word is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from caia_replay.core.model import RunKey
from caia_replay.models.policies.conversation import Policy, Wire


def tools_of(**parameters: str) -> list[Wire]:
    """Tools as they are offered, each with the names of its parameters."""
    return [
        {
            "type": "function",
            "function": {"name": name, "parameters": {"properties": {key: {} for key in keys.split()}}},
        }
        for name, keys in parameters.items()
    ]


def run_key(task: str = "t", attempt: int = 1, arm: str = "clean", agent: str = "react") -> RunKey:
    return RunKey(task, arm, "tools", agent, attempt)


def hits(*snippets: str) -> dict[str, Any]:
    return {"results": [{"url": f"https://p{n}.example/", "snippet": text} for n, text in enumerate(snippets)]}


def told(*replies: Any) -> list[Wire]:
    return [{"role": "tool", "content": json.dumps(reply)} for reply in replies]


def calls_in(said: Wire) -> list[tuple[str, Any]]:
    """The calls of a message, as (tool, arguments)."""
    calls = [one["function"] for one in said.get("tool_calls") or ()]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


def word(policy: Policy, *replies: Any, tools: Sequence[Wire]) -> Any:
    """What a script says after these replies: its calls, or its answer without the words that mark it."""
    said = policy.respond(told(*replies), tools)
    return calls_in(said) or said["content"].splitlines()[-1].removeprefix("FINAL ANSWER: ")
