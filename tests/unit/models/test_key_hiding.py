"""A key never stays in what is kept of a reply, and the reply still says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tape import TapedReply
from caia_replay.models.key_hiding import hidden, hidden_reply
from caia_replay.models.stream import assemble

KEY = 'sk-a/b"c\\d-0123456789'
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


def hide(text: str) -> str:
    return text.replace(KEY, "***")


def stream(*deltas: dict[str, Any]) -> str:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return ": a comment\n\n" + "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks) + "data: [DONE]\n\n"


def arguments(text: str, **rest: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "function": {"arguments": text}, **rest}]}


@pytest.mark.parametrize(
    "text",
    [
        f"no JSON, but {KEY}",
        json.dumps({"a": [1, {"b": f"x {KEY} y"}]}),
        json.dumps([[KEY], {KEY: KEY}]),
        json.dumps(KEY),
        f'{{"a": "{ESCAPED}"}}',
        json.dumps({"a": KEY}).replace("/", "\\/"),
        f'{{"a": "{ESCAPED}", "a": 1}}',
        f'{{"a": {{"b": "{ESCAPED}", "b": 1}}, "c": 1e5}}',
    ],
)
def test_the_key_goes_however_json_spells_it(text: str) -> None:
    """As it is, with escapes, as a name, and under a name that comes again."""
    clean = hidden(text, hide)
    assert KEY not in clean and ESCAPED not in clean and json.dumps(KEY)[1:-1] not in clean
    assert hidden(clean, hide) == clean


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_a_text_without_the_key_stays_to_the_byte(value: Any) -> None:
    """Spaces, order and escapes are the server's."""
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False), f"data: {value}"):
        assert hidden(text, hide) == text


def test_deep_json_is_not_parsed() -> None:
    """Nor is it kept with the key in it."""
    assert KEY not in hidden("[" * 5_000 + KEY, hide)


def test_a_stream_loses_the_key_event_by_event() -> None:
    """The events stay events, and what has no key in it stays as it was."""
    body = stream({"content": "one "}, {"content": f"two {KEY}"}, arguments(f'{{"a": "{KEY}"}}', id="c"))
    clean = hidden_reply(TapedReply(200, "text/event-stream", body), hide)
    assert KEY not in clean.body and json.dumps(KEY)[1:-1] not in clean.body
    assert clean.body.splitlines()[:3] == body.splitlines()[:3] and clean.content_type == "text/event-stream"
    assert assemble(clean.body.encode())["choices"][0]["message"]["content"] == "one two ***"
    plain = TapedReply(200, "text/event-stream", stream({"content": "one "}, {"content": "two"}))
    assert hidden_reply(plain, hide) == plain


@pytest.mark.parametrize("delta", [lambda text: {"content": text}, arguments], ids=["content", "arguments"])
def test_a_key_in_pieces_is_put_together_and_taken_out(delta: Any) -> None:
    """A stream that spells the key over several events is kept as the reply it makes up, without it."""
    pieces = ["so: ", KEY[:3], KEY[3:9], KEY[9:], " it is"]
    clean = hidden_reply(TapedReply(200, "text/event-stream", stream(*map(delta, pieces))), hide)
    assert clean.content_type == "application/json" and "so: *** it is" in clean.body
    assert KEY[3:9] not in clean.body


def test_a_broken_stream_is_kept_as_it_broke() -> None:
    """A stream that makes up no reply loses the key as well."""
    clean = hidden_reply(TapedReply(200, "text/event-stream", f"data: {{\n\ndata: {KEY}\n\nx {KEY}"), hide)
    assert clean == TapedReply(200, "text/event-stream", "data: {\n\ndata: ***\n\nx ***")
