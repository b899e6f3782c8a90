"""Replies as text."""

from __future__ import annotations

import json
from types import MappingProxyType

from caia_replay.agents.reply_text import json_line, json_lines, shown_text
from caia_replay.core.tool import Served, ToolReply


def test_broken_text_from_the_world_reaches_the_model_as_text() -> None:
    """Half a surrogate pair could be neither sent nor stored; it becomes U+FFFD."""
    shown_text(ToolReply(Served.HIT, {"text": "\ud800"})).encode("utf-8")


def test_an_error_is_shown_under_its_name() -> None:
    """The model sees the error object and nothing of how the call was served."""
    assert shown_text(ToolReply(Served.MISS, error={"b": 1, "a": 2}, nearest="x")) == '{"error":{"a":2,"b":1}}'


def test_a_line_is_one_line() -> None:
    """Frozen mappings and tuples are JSON; line feeds inside texts are escaped."""
    value = MappingProxyType({"b": (1, MappingProxyType({"c": "x\ny\r"})), "a": None})
    assert json_line(value) == '{"a":null,"b":[1,{"c":"x\\ny\\r"}]}'
    assert [json.loads(line) for line in json_lines([value, {}]).split("\n")][1] == {}
    assert json_lines([]) == ""
