"""How policies read and write messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.models.policies.conversation import (
    answer_message,
    call_message,
    calls_message,
    is_error,
    no_answer_message,
    offered,
    parameters_of,
    tool_results,
)

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {}, "b": {}}}}}]


def test_only_tool_messages_are_results() -> None:
    """Results come in order, big integers exact."""
    messages = [
        {"role": "user", "content": "q"},
        {"role": "tool", "content": f'{{"v":{2**200}}}'},
        {"role": "tool", "content": "[]"},
    ]
    assert tool_results(messages) == [{"v": 2**200}, []]


@pytest.mark.parametrize("content", ["", "{", "NaN", "[" * 9_000, '{"a":1,"a":2}', None, 7])
def test_a_result_that_is_no_json_is_an_error(content: Any) -> None:
    """A policy never stops at what a tool said."""
    (result,) = tool_results([{"role": "tool", "content": content}])
    assert is_error(result)


def test_errors_are_told_from_results() -> None:
    """Exactly one key "error" is an error; a result may have a field of that name."""
    assert is_error({"error": {"code": "miss"}}) and is_error([]) and is_error(None)
    assert not is_error({"error": "", "status": 1}) and not is_error({})


def test_all_parameters_are_sent() -> None:
    """Strict schemas want every parameter; those not given are null."""
    parameters = parameters_of(TOOLS, "f")
    assert parameters is not None and parameters_of(TOOLS, "g") is None
    call = call_message("f", {"b": 1}, parameters, 3)["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"a": None, "b": 1} and call["id"] == "call_3"
    several = calls_message([("f", {"b": 1}, parameters), ("f", {}, parameters)], 3)["tool_calls"]
    assert several[0] == call and several[1]["id"] == "call_4" and list(offered(TOOLS)) == ["f"]


def test_answers_are_one_line() -> None:
    """The answer contract reads the last line only."""
    assert answer_message("a\n b ")["content"] == "FINAL ANSWER: a b"
    assert "FINAL ANSWER" not in no_answer_message("stopped")["content"]
