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
ADD: dict[str, Any] = {
    "type": "function",
    "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}},
}
GET = {"type": "function", "function": {"name": "get", "description": "Gets.", "parameters": {"type": "object"}}}


def body(*messages: Any, tools: Any = (ADD,), **other: Any) -> str:
    return json.dumps({"messages": list(messages), "tools": list(tools), "model": "m", **other})


RECORDED = body(SYSTEM, USER, CALLED, RESULT)


@pytest.mark.parametrize(
    "asked",
    [
        RECORDED,
        body(SYSTEM, USER, CALLED, RESULT, model="other", seed=9, temperature=1, stream=True, max_tokens=5),
        json.dumps(dict(sorted(json.loads(RECORDED).items()))),
        body(SYSTEM, USER, {**CALLED, "content": ""}, RESULT),
        body(SYSTEM, USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT),
        body(SYSTEM, {**USER, "tool_calls": []}, {**CALLED, "annotations": [], "refusal": None}, RESULT),
        body(SYSTEM, USER, CALLED, RESULT, tools=[{**ADD, "function": {**ADD["function"], "strict": True}}]),
    ],
    ids=["equal", "other parameters", "other order", "empty content", "no content", "empty members", "strict"],
)
def test_what_asks_the_same(asked: str) -> None:
    """Messages and tools decide; parameters, the order of members, and how nothing is written do not."""
    assert first_difference(RECORDED, asked) == ""


@pytest.mark.parametrize("role", ["developer", "user"])
def test_instructions_may_have_been_recorded_in_another_role(role: str) -> None:
    """Endpoints differ in what they call the system, whichever of the two was recorded; what they say counts."""
    theirs = body({**SYSTEM, "role": role}, USER)
    assert first_difference(theirs, body(SYSTEM, USER)) == ""
    assert first_difference(body(SYSTEM, USER), theirs) == ""
    assert first_difference(theirs, body({**SYSTEM, "content": "Be."}, USER)).startswith("message 1 (system): from")
    answered = body({**SYSTEM, "role": "assistant"}, USER)
    assert first_difference(answered, theirs).startswith(f"message 1: recorded as assistant, asked as {role}")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            body(SYSTEM, {**USER, "content": USER["content"].replace("12", "13")}, CALLED, RESULT),
            "message 2 (user): from character 49, recorded 'the chain at block 12?', asked 'the chain at block 13?'",
        ),
        (body(SYSTEM, USER), 'message 3 (assistant) was recorded and is not asked: \'{"tool_calls":'),
        (body(SYSTEM, USER, CALLED, RESULT, USER), "message 5 (user) is asked and was not recorded: 'How many"),
        (body(SYSTEM, USER, CALLED, {**RESULT, "tool_call_id": "c2"}), "message 4 (tool): from character"),
        (body(SYSTEM, USER, CALLED, {**RESULT, "role": "user"}), "message 4: recorded as tool, asked as user"),
        (body(SYSTEM, USER, {**CALLED, "tool_calls": []}, RESULT), "message 3 (assistant)"),
        (body(SYSTEM, {**USER, "name": "me"}, CALLED, RESULT), "message 2 (user)"),
        (body(SYSTEM, USER, CALLED, RESULT, tools=[ADD, GET]), "tool 'get' is offered, and was not when"),
        (body(SYSTEM, USER, CALLED, RESULT, tools=[]), "tool 'add' was offered when it was recorded, and is not now"),
        (body(SYSTEM, USER, CALLED, RESULT, tools=[GET]), "tool 'add' was recorded where 'get' is offered"),
        (
            body(SYSTEM, USER, CALLED, RESULT, tools=[{**ADD, "function": {**ADD["function"], "description": "-"}}]),
            "tool 'add': from character",
        ),
    ],
)
def test_the_first_difference_is_named(asked: str, told: str) -> None:
    """Which message or tool, in which role, what was recorded there and what was asked."""
    assert first_difference(RECORDED, asked).startswith(told)


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
