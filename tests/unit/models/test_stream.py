"""Streams put together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ModelFault
from caia_replay.models.stream import assemble, events, looks_like_stream
from tests.unit.models.conftest import any_json

DONE = b"data: [DONE]\n\n"


def chunk(delta: Any = None, finish: Any = None, **other: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}]} | other


def stream(*chunks: Any, end: bytes = DONE) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in chunks) + end


def piece(index: Any = None, identity: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    """A piece of one tool call; what is None is not there."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    outer = {key: value for key, value in (("index", index), ("id", identity)) if value is not None}
    return outer | {"function": function}


def calls(*pieces: dict[str, Any]) -> list[tuple[Any, str, str]]:
    """The calls that pieces, one per chunk, make up."""
    whole = assemble(stream(*(chunk({"tool_calls": [one]}) for one in pieces), chunk(finish="tool_calls")))
    found = whole["choices"][0]["message"]["tool_calls"]
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in found]


texts = st.text(max_size=12)
some_calls = st.lists(st.tuples(st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5), texts), max_size=4)


@given(texts, some_calls, st.randoms(use_true_random=False), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_however_it_is_cut_a_stream_says_the_same(
    content: str, wanted: Any, chance: Any, end: bytes, data: Any
) -> None:
    """Texts and arguments in pieces, calls interleaved, comments between, any line ends: one completion."""
    queues = [[{"content": one} for one in cut(content, data)]]
    for index, (identity, name, arguments) in enumerate(wanted):
        head, *rest = cut(arguments, data)
        pieces = [piece(index, identity, name, head)] + [piece(index, arguments=one) for one in rest]
        queues.append([{"tool_calls": [one]} for one in pieces])
    deltas = []
    while queues := [queue for queue in queues if queue]:
        deltas.append(chance.choice(queues).pop(0))
    body = stream(*map(chunk, deltas), chunk(finish="stop"), {"choices": [], "usage": {"prompt_tokens": 9}})
    whole = assemble((b": keep-alive\n\nevent: x\nid: 7\n" + body).replace(b"\n", end))
    message = whole["choices"][0]["message"]
    assert message["content"] == content and whole["usage"] == {"prompt_tokens": 9}
    got = [(one["id"], *one["function"].values()) for one in message.get("tool_calls", [])]
    assert got == wanted and whole["choices"][0]["finish_reason"] == "stop"


def cut(text: str, data: st.DataObject) -> list[str]:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)])]


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        ([piece(0, "a", "f", "{}"), piece(0, "b", "g", "[]")], [("a", "f", "{}"), ("b", "g", "[]")]),
        ([piece(0, "a", "f", "{"), piece(0, "z", None, "}")], [("a", "f", "{}")]),
        ([piece(0, "a", "f", "{"), piece(0, "a", "f", "}")], [("a", "f", "{}")]),
        ([piece(None, "a", "f", "{"), piece(None, None, None, "}")], [("a", "f", "{}")]),
        ([piece(None, "a", "f", "{}"), piece(None, "b", "f", "[]")], [("a", "f", "{}"), ("b", "f", "[]")]),
        ([piece(None, "a", "f", "{"), piece(None, "a", "f", "}")], [("a", "f", "{}")]),
        ([piece(None, None, "f", "{}"), piece(None, None, "f", "[]")], [(None, "f", "{}"), (None, "f", "[]")]),
        ([piece(1, "b", "g", ""), piece(0, "a", "f", ""), piece(1, None, None, "1")],
         [("a", "f", ""), ("b", "g", "1")]),
        ([piece(10**30, "a", "f", "{}")], [("a", "f", "{}")]),
        ([piece(-1, "a", "f", "{}"), piece("0", None, None, "x")], [("a", "f", "{}x")]),
        ([piece(0, "a", "fe", ""), piece(0, None, "tch", "")], [("a", "fetch", "")]),
        ([piece(0, "a", "f", {"b": 1, "a": 2})], [("a", "f", '{"a":2,"b":1}')]),
        ([piece(0)], [(None, "", "")]),
    ],
)  # fmt: skip
def test_calls_are_told_apart_in_every_vendors_form(pieces: list[Any], wanted: list[Any]) -> None:
    """By index; without one, or with the same one for all, by id and name; whole or in pieces."""
    assert calls(*pieces) == wanted


def test_a_whole_message_in_a_stream_is_read_once() -> None:
    """Some send one chunk with the message; some repeat it at the end. Counts in every chunk are totals so far."""
    whole = {"index": 0, "message": {"content": "hi"}, "finish_reason": "stop"}
    for body in (stream({"choices": [whole | {"index": 1}]}), stream(chunk({"content": "hi"}), {"choices": [whole]})):
        assert assemble(body)["choices"][0]["message"]["content"] == "hi"
    body = stream(chunk({"content": "a"}, usage={"n": 1}), chunk({}, "stop", usage={"n": 2}), chunk(usage=None))
    assert assemble(body)["usage"] == {"n": 2}


def test_reasoning_refusals_parts_and_the_form_before_tools_are_kept_apart() -> None:
    """Each in its own field."""
    body = stream(
        chunk({"reasoning_content": "hm", "content": None}),
        chunk({"reasoning": {"odd": 1}, "content": [{"type": "text", "text": "a"}, {"text": "b"}]}),
        chunk({"refusal": "no", "function_call": {"name": "f"}}),
        chunk({"function_call": {"arguments": "{}"}}, "stop"),
    )
    message = assemble(body)["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"], message["refusal"]) == ("hm", "ab", "no")
    assert message["function_call"] == {"name": "f", "arguments": "{}"}


def test_a_stream_that_ends_early_was_lost() -> None:
    """Neither [DONE] nor a finish reason: what arrived is not the answer."""
    for end in (b"", b": bye\n\n", b'data: {"choi', b"data: ", b"data: {}\n\n", b'data: {"choices":[]}\n\n'):
        with pytest.raises(ModelFault) as caught:
            assemble(stream(chunk({"content": "FINAL ANSWER: 1"}), end=end))
        assert caught.value.reason == "connection"


def test_done_or_a_finish_reason_ends_it() -> None:
    """Either will do; what comes after [DONE] is not read."""
    assert assemble(stream(chunk({"content": "a"}, "stop"), end=b""))["choices"][0]["finish_reason"] == "stop"
    whole = assemble(stream(chunk({"content": "a"}), end=b"data:[DONE]\n\ndata: {}{\n\n"))
    assert whole["choices"][0]["finish_reason"] is None and whole["choices"][0]["message"]["content"] == "a"
    assert assemble(stream(chunk({"content": "a"}), end=b"data: [DONE]"))["choices"]
    assert assemble(DONE) == {"choices": [], "usage": None}


def test_events_outside_the_protocol_are_malformed() -> None:
    """A named fault, never an exception of the parser; an error is the outcome whatever came before it."""
    for bad in (
        b"data: nonsense\n\n", b"data: 7\n\n", b"data: [1]\n\n", b"data: " + b"[" * 2_000 + b"]" * 2_000 + b"\n\n",
        *(stream(chunk(delta)) for delta in ({"content": 7}, {"tool_calls": "f"}, {"tool_calls": [7]})),
    ):  # fmt: skip
        with pytest.raises(ModelFault) as caught:
            assemble(bad + DONE)
        assert caught.value.reason == "malformed"
    died = {"error": {"message": "died"}}
    assert assemble(stream(chunk({"content": "a"}), died)) == died


@given(any_json(
    "choices", "delta", "tool_calls", "function", "index", "id", "name", "arguments", "content", "usage", "message",
    "finish_reason", "function_call", "error", "text",
))  # fmt: skip
def test_no_event_breaks_the_reader(value: Any) -> None:
    """Any JSON, in the protocol's own words, is read or a named fault."""
    try:
        assemble(stream(value, chunk(value), {"choices": [value]}, {"choices": value}))
    except ModelFault as fault:
        assert fault.reason in ("malformed", "connection")


def test_lines_end_where_the_protocol_says() -> None:
    """A line separator inside a JSON text ends no line; data over several lines is one; a first mark is skipped."""
    assert list(events("\ufeffdata: a\u2028b\ndata:c\n\ndata: d")) == [("a\u2028b\nc", True), ("d", False)]


def test_a_stream_is_known_by_its_type_and_its_looks() -> None:
    """Servers mislabel both ways."""
    for kind, body, is_stream in (
        ("text/event-stream; charset=utf-8", b"data: {}", True), ("Text/Event-Stream", b"", True),
        ("text/event-stream", b' {"error": 1}', False),
        ("application/json", b"data: {}", True),
        ("", b"\n: ping\n\ndata: {}", True), ("application/octet-stream", b"event: x\ndata: {}", True),
        ("application/json", b'{"a": 1}', False), ("text/html", b"<html>data:", False),
        ("application/json", b"", False),
    ):  # fmt: skip
        assert looks_like_stream(kind, body) is is_stream
