"""Our messages and theirs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import ModelFault
from caia_replay.models.wire import completion_from_wire, message_to_wire, messages_to_wire, tool_to_wire

texts = st.text(max_size=30)
calls = st.builds(ToolCall, st.text(min_size=1, max_size=9), texts, texts)


def parsed(message: dict[str, Any], usage: Any = None, finish: Any = "stop") -> Any:
    """What the client makes of a completion with one message."""

    def shape(value: Any) -> Any:
        return SimpleNamespace(**{k: shape(v) for k, v in value.items()}) if isinstance(value, dict) else value

    fields = {
        name: [shape(call) for call in value] if name == "tool_calls" and value else value
        for name, value in message.items()
    }
    return SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(**fields), finish_reason=finish)], usage=usage
    )


@settings(max_examples=100)
@given(st.builds(Message, st.just("assistant"), texts, st.lists(calls, max_size=3).map(tuple)))
def test_what_we_send_is_what_we_read(message: Message) -> None:
    """An assistant message survives the way there and back."""
    wire = message_to_wire(message)
    got = completion_from_wire(parsed({"content": wire["content"], "tool_calls": wire.get("tool_calls")}), 1)
    assert got.message == message


def test_tool_messages_name_their_call() -> None:
    """A reply goes with its call's id; order is kept."""
    sent = messages_to_wire([Message("user", "q"), Message("tool", "{}", tool_call_id="c1")])
    assert sent[1] == {"role": "tool", "content": "{}", "tool_call_id": "c1"} and sent[0]["role"] == "user"


def test_calls_without_text_have_null_content() -> None:
    """Servers want null, not an empty text, beside tool calls."""
    assert message_to_wire(Message("assistant", "", (ToolCall("c", "f", "{}"),)))["content"] is None


def test_tools_are_strict() -> None:
    """The schema is sent unchanged, as a strict function."""
    schema = {"type": "object"}
    wire = tool_to_wire(ToolSpec("f", "d", schema, "c", "social"))
    assert (
        wire["type"] == "function" and wire["function"]["strict"] is True and wire["function"]["parameters"] is schema
    )


def test_a_call_without_id_is_named_by_its_place() -> None:
    """Missing ids become stable names, different per turn."""
    calls = [{"id": None, "function": {"name": "f", "arguments": None}}] * 2
    got = completion_from_wire(parsed({"content": None, "tool_calls": calls}), 3)
    assert [call.id for call in got.message.tool_calls] == ["call_3_1", "call_3_2"]
    assert got.message.tool_calls[0].arguments == ""


def test_half_surrogates_are_replaced_on_arrival() -> None:
    """Text that could not be sent on or stored never gets in."""
    got = completion_from_wire(parsed({"content": "a\ud800b"}), 1)
    got.message.content.encode("utf-8")


def test_content_in_parts_and_refusals_are_text() -> None:
    """Both newer forms read as text."""
    assert (
        completion_from_wire(parsed({"content": [{"type": "text", "text": "a"}, {"text": "b"}]}), 1).message.content
        == "ab"
    )
    assert completion_from_wire(parsed({"content": None, "refusal": "I will not."}), 1).message.content == "I will not."


@pytest.mark.parametrize(
    "usage",
    [
        None,
        SimpleNamespace(prompt_tokens="7", completion_tokens=1),
        SimpleNamespace(prompt_tokens=-1, completion_tokens=1),
    ],
)
def test_unusable_usage_is_unreported(usage: Any) -> None:
    """Numbers that are none are marked, not guessed."""
    assert completion_from_wire(parsed({"content": ""}, usage), 1).usage == Usage(0, 0, reported=False)


def test_a_missing_finish_reason_is_unknown() -> None:
    """The server said nothing, and nothing is made up."""
    assert completion_from_wire(parsed({"content": ""}, finish=None), 1).finish_reason == "unknown"


@pytest.mark.parametrize("message", [{"content": 4}, {"content": [4]}, {"content": "", "tool_calls": "x"}])
def test_fields_of_the_wrong_type_are_malformed(message: dict[str, Any]) -> None:
    """A number where a text belongs ends the run with a reason."""
    with pytest.raises(ModelFault) as caught:
        completion_from_wire(SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(**message))]), 1)
    assert caught.value.reason == "malformed"
