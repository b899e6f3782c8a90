"""Our messages and theirs."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.message import Message, ToolCall
from caia_replay.errors import ModelFault
from caia_replay.models.wire import (
    MOST_CALLS,
    alternating,
    arguments_text,
    completion_from_wire,
    message_to_wire,
    messages_to_wire,
)
from tests.unit.models.conftest import any_json

texts = st.text(max_size=30)
names = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
calls = st.builds(ToolCall, st.text(min_size=1, max_size=9), names, texts)


def body(message: Any, usage: Any = None, finish: Any = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def call(identity: Any = "c", name: Any = "f", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


@given(
    st.builds(
        Message, st.just("assistant"), texts, st.lists(calls, max_size=3, unique_by=lambda call: call.id).map(tuple)
    )
)
def test_what_we_send_is_what_we_read(message: Message) -> None:
    """An assistant message survives the way there and back."""
    wire = json.loads(json.dumps(message_to_wire(message)))
    assert completion_from_wire(body(wire), 1).message == message


plain = st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["user", "assistant"]), texts)


@given(st.lists(plain, max_size=6))
def test_users_messages_in_a_row_are_one(messages: list[dict[str, Any]]) -> None:
    """No two of the user's follow each other, no text is lost or moved, and nothing else changes."""
    request = {"model": "m", "messages": messages, "seed": 1}
    sent = alternating(json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace"))
    got = json.loads(sent)
    roles = [message["role"] for message in got["messages"]]
    assert ("user", "user") not in pairwise(roles) and alternating(sent) == sent
    assert {**got, "messages": 0} == {**request, "messages": 0}
    assert roles.count("assistant") == sum(message["role"] == "assistant" for message in messages)
    grouped: list[list[str]] = []
    before = ""
    for message in messages:
        if message["role"] == "user" == before:
            grouped[-1].append(message["content"])
        else:
            grouped.append([message["content"]])
        before = message["role"]
    assert [message["content"] for message in got["messages"]] == ["\n\n".join(group) for group in grouped]


def test_other_bodies_stay_to_the_byte() -> None:
    """What is no request, or holds no plain messages of the user's in a row, is not touched."""
    for body in (
        b"", b'"user" "user"', b'["user", "user"]', b'{"messages": ["user", "user", 1]}',
        b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "\\"user\\""}]}',
        b'{"messages": [{"role": "user", "content": [1]}, {"role": "user", "content": "a"}]}',
        b'{"messages": [{"role": "user", "content": "a", "name": "b"}, {"role": "user", "content": "a"}]}',
        b'{"a": "user", "messages": "user"}', b'["user","user",' + b"[" * 9_000,
    ):  # fmt: skip
        assert alternating(body) == body


def test_messages_are_sent_as_servers_take_them() -> None:
    """Calls' ids with replies, the system's role, null beside calls; a made-up name must not end the next request."""
    sent = messages_to_wire([Message("system", "s"), Message("user", "q"), Message("tool", "{}", tool_call_id="c1")])
    assert sent[2] == {"role": "tool", "content": "{}", "tool_call_id": "c1"}
    assert [message["role"] for message in sent] == ["system", "user", "tool"]
    assert messages_to_wire([Message("system", "s"), Message("user", "q")], "developer")[0]["role"] == "developer"
    for name, known in (("", "unnamed"), ("web search!", "web_search_"), ("f" * 99, "f" * 64), ("价", "_")):
        wire = message_to_wire(Message("assistant", "", (ToolCall("c", name, "{}"),)))
        assert wire["content"] is None and wire["tool_calls"][0]["function"]["name"] == known


def test_every_call_of_a_run_has_an_id_of_its_own() -> None:
    """Missing, empty and repeated ids become stable names, also across turns and against names like ours."""
    taken: set[str] = set()
    first = completion_from_wire(body({"tool_calls": [call(None), call(""), call(7)]}), 3, taken=taken)
    assert [one.id for one in first.message.tool_calls] == ["call_3_1", "call_3_2", "call_3_3"]
    wire = body({"tool_calls": [call("a"), call("a"), call("call_3_1"), call("call_4_2")]})
    again = completion_from_wire(wire, 4, taken=taken).message.tool_calls
    assert [one.id for one in again] == ["a", "call_4_2", "call_4_3", "call_4_4"]
    assert len(taken) == 7


@given(
    st.lists(st.lists(st.sampled_from(["a", "call_1_1", "call_2_1", "call_2_2", "", None, 3]), max_size=4), max_size=3)
)
def test_ids_never_meet(turns: list[list[Any]]) -> None:
    """Whatever a server calls its calls, no two of a run bear one id."""
    taken: set[str] = set()
    found: list[str] = []
    for turn, ids in enumerate(turns, 1):
        wire = body({"tool_calls": [call(one) for one in ids]})
        found += [one.id for one in completion_from_wire(wire, turn, taken=taken).message.tool_calls]
    assert len(found) == len(set(found)) == len(taken) and all(found)


def test_arguments_in_any_form_are_a_text() -> None:
    """An object is written canonically; what is no JSON is left for the tool to refuse."""
    for arguments, text in (
        ({"b": 2, "a": [1, None]}, '{"a":[1,null],"b":2}'), ("as written ", "as written "), (None, ""), (7, "7"),
        (2**70, str(2**70)), ([1], "[1]"), (float("nan"), "NaN"), ({"a": "\ud800"}, '{"a":"?"}'), ("\udc00", "?"),
    ):  # fmt: skip
        got = completion_from_wire(body({"tool_calls": [call(arguments=arguments)]}), 1).message.tool_calls
        assert arguments_text(arguments) == text == got[0].arguments


def test_the_form_before_tools_is_a_call_and_so_is_one_of_no_tool() -> None:
    """Unless there are calls in the present form; the model is told that there is no such tool, and its run goes on."""
    old = {"name": "f", "arguments": "{}"}
    got = completion_from_wire(body({"function_call": old}), 2).message.tool_calls
    assert got == (ToolCall("call_2_1", "f", "{}"),)
    both = completion_from_wire(body({"function_call": old, "tool_calls": [call("c", "g")]}), 2)
    assert [one.name for one in both.message.tool_calls] == ["g"]
    wire = body({"tool_calls": [call(name=""), call(name=None), call(name=7), {"id": "x"}, {"function": "f"}]})
    assert [one.name for one in completion_from_wire(wire, 1).message.tool_calls] == [""] * 5


def test_half_surrogates_are_replaced_on_arrival() -> None:
    """Text that could not be sent on or stored never gets in."""
    wire = body({"content": "a\ud800b", "tool_calls": [call("\ud800", "\udc00", "\udfff")]}, finish="\ud800")
    got = completion_from_wire(wire, 1)
    repr(got).encode("utf-8")
    assert got.message.content == "a?b"


def test_content_in_parts_is_text_and_reasoning_is_not() -> None:
    """What a model thought is no part of what it said."""
    parts = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "hm"}, {"text": "b"}, "c"]
    got = completion_from_wire(body({"content": parts, "reasoning_content": "long", "reasoning": "longer"}), 1)
    assert got.message.content == "abc" and not got.refused
    assert completion_from_wire(body({"content": "<think>hm</think>a"}), 1).message.content == "<think>hm</think>a"


def test_refusals_are_marked() -> None:
    """By the model's own field, or by its provider's filter; a missing finish reason is unknown, and not made up."""
    for message, finish, content, refused in (
        ({"content": None, "refusal": "I will not."}, "stop", "I will not.", True),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "stop", "No.", False),
        ({"content": "half", "refusal": None}, "content_filter", "half", True),
        ({"content": None}, "content_filter", "", True),
        ({"content": "ok", "refusal": ""}, "stop", "ok", False),
    ):
        got = completion_from_wire(body(message, finish=finish), 1)
        assert (got.message.content, got.refused, got.finish_reason) == (content, refused, finish)
    for none in (None, "", 7):
        assert completion_from_wire(body({"content": ""}, finish=none), 1).finish_reason == "unknown"


def test_what_is_to_be_hidden_is_hidden_everywhere() -> None:
    """Texts, names, arguments and ids."""
    message = {"content": "key", "tool_calls": [call("key", "key", "key")]}
    got = completion_from_wire(body(message, finish="key"), 1, hide=lambda text: text.replace("key", "*"))
    assert "key" not in repr((got.message.content, got.message.tool_calls, got.finish_reason))


def test_fields_of_the_wrong_type_are_malformed() -> None:
    """A number where a text belongs ends the run with a reason."""
    for wire in (
        *({}, {"choices": None}, {"choices": []}, {"choices": "x"}, {"choices": [None]}, {"choices": [{}]}),
        *(body(message) for message in (None, "hello", [], {"content": 4}, {"content": [4]}, {"refusal": 4})),
        *(body({"tool_calls": calls}) for calls in ("x", {"a": 1}, ["f"], [None], [call()] * (MOST_CALLS + 1))),
        body({"content": {"text": "x"}}),
    ):
        with pytest.raises(ModelFault) as caught:
            completion_from_wire(wire, 1)
        assert caught.value.reason == "malformed"


@given(any_json(
    "choices", "message", "content", "tool_calls", "function", "id", "name", "arguments", "usage", "text"
))  # fmt: skip
def test_no_completion_breaks_the_reader(value: Any) -> None:
    """Any JSON in the protocol's own words is a completion or a named fault."""
    bodies = value if isinstance(value, dict) else {}, {"choices": [value]}, body(value), body({"tool_calls": value})
    for wire in bodies:
        try:
            repr(completion_from_wire(wire, 1)).encode()
        except ModelFault as fault:
            assert fault.reason == "malformed"
