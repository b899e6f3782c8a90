"""A local server for each test, what it is asked and answers, and the interpreter's own limits."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

from caia_replay.core.message import Message
from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedTurn
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import SealBroken
from tests.chat_server import ChatServer

KEY = RunKey("t", "clean", "tools", "react", 2)
ASK = [Message("system", "Be exact."), Message("user", "What?")]
TOOL = ToolSpec("add", "Adds.", {"type": "object", "properties": {"b": {}, "a": {}}}, "c", "authoritative")
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}


def completion(message: dict[str, Any], **other: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return body | {"usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}} | other


def any_json(*words: str) -> st.SearchStrategy[Any]:
    """JSON whose objects have these names: a protocol's own words, wherever they do not belong."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(words), inner, max_size=4),
    )


def delta(piece: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": piece, "finish_reason": finish}]}


def sse(*chunks: Any, end: str = "data: [DONE]\n\n") -> bytes:
    return ("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end).encode()


@dataclass
class Tape:
    """A tape in memory, which is recorded on and plays."""

    runs: dict[RunKey, Sequence[TapedTurn]] = field(default_factory=dict)
    broken: bool = False

    def keep(self, key: RunKey, turns: Sequence[TapedTurn]) -> None:
        self.runs[key] = turns

    def turns(self, key: RunKey) -> Sequence[TapedTurn] | None:
        if self.broken:
            raise SealBroken("differs from what was recorded", where="1.json")
        return self.runs.get(key)

    def nearest(self, key: RunKey) -> str:
        return f"attempt {max(run.attempt for run in self.runs)}" if self.runs else ""


@pytest.fixture(autouse=True)
def own_recursion_limit() -> Iterator[None]:
    """The interpreter's own limit: eth_account, which other tests import, lifts it for the whole process.

    The command never imports it (tests/rules/test_imports.py), so a model's deep JSON meets the limit there.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    running = ChatServer()
    yield running
    running.close()
