"""A judge of raw questions behind a real chat endpoint, who answers as a function of the question says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.chat_server import ChatServer, Entry

Said = Callable[[str], Mapping[str, str]]
CRITERIA = ("on-topic", "has-answer", "anchored", "stable")


def scripted_judge(said: Said) -> ChatServer:
    """A server whose model says YES to every criterion but those that ``said`` has another word for. To be asked one
    question at a time; close it."""
    server = ChatServer()

    def reply(headers: dict[str, str]) -> Entry:
        user = server.received[-1][1]["messages"][-1]["content"]
        key, line = re.fullmatch(r"<question ([0-9a-f]{16})>\n(.*)\n</question \1>", user).groups()  # type: ignore[union-attr]
        words = said(json.loads(line)["question"])
        text = "\n".join(f"{key} {name}: {words.get(name, 'YES; it does')}" for name in CRITERIA)
        return 200, completion(text), {}

    server.plan.append(reply)
    return server


def completion(text: str) -> dict[str, Any]:
    """A chat completion that says ``text``."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "judge", "choices": [choice], "usage": usage}
