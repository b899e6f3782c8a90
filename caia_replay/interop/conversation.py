"""A run's record as the messages of a chat, in the shape of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from caia_replay.agents.reply_text import json_line
from caia_replay.canonical import require_shallow, strict_json

_DEEP: Final = 64


def conversation_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every message in order, each ``role`` and ``content``; those of the assistant may have ``tool_calls`` (id, name,
    arguments as JSON text), those of a tool have ``tool_call_id`` and ``name``. What an agent itself said in between,
    such as a reminder, stands in no record, and so not here."""
    talk = [dict(one) for one in record["prompt"]]
    for step in record["steps"]:
        if step["kind"] == "tool":
            shown = json_line(step["shown"])
            talk.append({"role": "tool", "content": shown, "tool_call_id": step["call_id"], "name": step["tool"]})
            continue
        talk += [dict(one) for one in step.get("fresh", ())]
        said: dict[str, Any] = {"role": "assistant", "content": step["content"]}
        if step["tool_calls"]:
            said["tool_calls"] = [dict(call) for call in step["tool_calls"]]
        talk.append(said)
    return talk


def arguments_of(text: str) -> dict[str, Any]:
    """A call's arguments by name; what is no JSON object, or nests too deep for others' parsers, stands whole under
    ``arguments``."""
    try:
        require_shallow(text.encode("utf-8", "replace"), _DEEP)
        found = strict_json(text or "{}")
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"arguments": text}
