"""What counts as asking the same, and how a difference is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.models.tape_request import SHOWN, first_difference

SYSTEM = {"role": "system", "content": "Be exact."}
USER = {"role": "user", "content": "How many pools are there on the chain at block 12?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": '{"sum":3}'}
SHAPE = {"parameters": {"type": "object"}}
ADD: dict[str, Any] = {"type": "function", "function": {"name": "add", "description": "Adds."} | SHAPE}
GET = {"type": "function", "function": {"name": "get", "description": "Gets."} | SHAPE}


def body(*messages: Any, tools: Any = (ADD,), **other: Any) -> str:
    return json.dumps({"messages": list(messages), "tools": list(tools), "model": "m", **other})


RECORDED = body(SYSTEM, USER, CALLED, RESULT)


def test_what_asks_the_same() -> None:
    """Messages and tools decide; parameters, the order of members, and how nothing is written do not."""
    for asked in (
        RECORDED,
        body(SYSTEM, USER, CALLED, RESULT, model="other", seed=9, temperature=1, stream=True, max_tokens=5),
        json.dumps(dict(sorted(json.loads(RECORDED).items()))),
        body(SYSTEM, USER, {**CALLED, "content": ""}, RESULT),
        body(SYSTEM, USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT),
        body(SYSTEM, {**USER, "tool_calls": []}, {**CALLED, "annotations": [], "refusal": None}, RESULT),
        body(SYSTEM, USER, CALLED, RESULT, tools=[{**ADD, "function": {**ADD["function"], "strict": True}}]),
    ):
        assert first_difference(RECORDED, asked) == ""


def test_instructions_may_have_been_recorded_in_another_role() -> None:
    """Endpoints differ in what they call the system, whichever of the two was recorded; what they say counts."""
    for role in ("developer", "user"):
        theirs = body({**SYSTEM, "role": role}, USER)
        assert first_difference(theirs, body(SYSTEM, USER)) == first_difference(body(SYSTEM, USER), theirs) == ""
        changed = body({**SYSTEM, "content": "Be."}, USER)
        assert first_difference(theirs, changed).startswith("message 1 (system): from")
        answered = body({**SYSTEM, "role": "assistant"}, USER)
        assert first_difference(answered, theirs).startswith(f"message 1: recorded as assistant, asked as {role}")


def test_the_first_difference_is_named() -> None:
    """Which message or tool, in which role, what was recorded there and what was asked."""
    other = {**ADD, "function": {**ADD["function"], "description": "-"}}
    thirteen = {**USER, "content": USER["content"].replace("12", "13")}
    for messages, tools, told in (
        ((SYSTEM, thirteen, CALLED, RESULT), [ADD],
         "message 2 (user): from character 49, recorded 'the chain at block 12?', asked 'the chain at block 13?'"),
        ((SYSTEM, USER), [ADD], 'message 3 (assistant) was recorded and is not asked: \'{"tool_calls":'),
        ((SYSTEM, USER, CALLED, RESULT, USER), [ADD], "message 5 (user) is asked and was not recorded: 'How many"),
        ((SYSTEM, USER, CALLED, {**RESULT, "tool_call_id": "c2"}), [ADD], "message 4 (tool): from character"),
        ((SYSTEM, USER, CALLED, {**RESULT, "role": "user"}), [ADD], "message 4: recorded as tool, asked as user"),
        ((SYSTEM, USER, {**CALLED, "tool_calls": []}, RESULT), [ADD], "message 3 (assistant)"),
        ((SYSTEM, {**USER, "name": "me"}, CALLED, RESULT), [ADD], "message 2 (user)"),
        ((SYSTEM, USER, CALLED, RESULT), [ADD, GET], "tool 'get' is offered, and was not when"),
        ((SYSTEM, USER, CALLED, RESULT), [], "tool 'add' was offered when it was recorded, and is not now"),
        ((SYSTEM, USER, CALLED, RESULT), [GET], "tool 'add' was recorded where 'get' is offered"),
        ((SYSTEM, USER, CALLED, RESULT), [other], "tool 'add': from character"),
    ):  # fmt: skip
        assert first_difference(RECORDED, body(*messages, tools=tools)).startswith(told)


def test_a_difference_is_cut_short() -> None:
    """Long texts are shown from a little before they part, and no further than needed."""
    was, now = ({"role": "user", "content": "x" * 90_000 + end * 90_000} for end in "ab")
    told = first_difference(body(was), body(now))
    assert "from character 90001" in told and len(told) < 4 * SHOWN
    assert "xxxa" in told and "xxxb" in told


@pytest.mark.parametrize(
    "recorded",
    ["", "{", "[]", "null", '{"messages": 1}', '{"messages": [1, null, "x"], "tools": {"a": 1}}', "[" * 9_999,
     '{"messages": [{"role": 1, "content": {"a": []}, "tool_calls": 2}], "tools": [1, {"function": 1}]}',
     '{"messages": [{"role": "user", "content": "\\ud800"}]}'],
)  # fmt: skip
def test_whatever_a_stranger_recorded_is_told_as_a_difference(recorded: str) -> None:
    """No tape can make the comparison fail."""
    told = first_difference(recorded, RECORDED)
    assert told and told.encode("utf-8")
