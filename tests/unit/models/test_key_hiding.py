"""A key never stays in what is kept of a reply, and the reply still says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tape import TapedReply
from caia_replay.models.key_hiding import Hiding, hidden, hidden_reply
from caia_replay.models.stream import assemble
from tests.unit.models.conftest import delta, sse

KEY = 'sk-a/b"c\\d-0123456789'
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


def hide(text: str) -> str:
    return text.replace(KEY, "***")


def stream(*deltas: dict[str, Any]) -> str:
    return ": a comment\n\n" + sse(*map(delta, deltas), delta({}, "stop")).decode().replace("\n", "\r\n")


def cleaned(body: str, status: int = 200) -> TapedReply:
    kept = hidden_reply(TapedReply(status, "text/event-stream", body), hide)
    assert kept is not None
    return kept


def arguments(text: str, **rest: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "function": {"arguments": text}, **rest}]}


def test_the_key_goes_however_json_spells_it() -> None:
    """As it is, with escapes, as a name, under a name that comes again, and in JSON too deep to be parsed."""
    for text in (
        f"no JSON, but {KEY}", json.dumps({"a": [1, {"b": f"x {KEY} y"}]}), json.dumps([[KEY], {KEY: KEY}]),
        json.dumps(KEY), f'{{"a": "{ESCAPED}"}}', json.dumps({"a": KEY}).replace("/", "\\/"),
        f'{{"a": "{ESCAPED}", "a": 1}}', f'{{"a": {{"b": "{ESCAPED}", "b": 1}}, "c": 1e5}}',
    ):  # fmt: skip
        clean = hidden(text, hide)
        assert KEY not in clean and ESCAPED not in clean and json.dumps(KEY)[1:-1] not in clean
        assert hidden(clean, hide) == clean
    assert KEY not in hidden("[" * 5_000 + KEY, hide)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5
    )
)
def test_a_text_without_the_key_stays_to_the_byte(value: Any) -> None:
    """Spaces, order and escapes are the server's."""
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False), f"data: {value}"):
        assert hidden(text, hide) == text


def test_a_stream_loses_the_key_event_by_event() -> None:
    """The events stay events, and what has no key in it stays as it was."""
    body = stream({"content": "one "}, {"content": f"two {KEY}"}, arguments(f'{{"a": "{KEY}"}}', id="c"))
    clean = cleaned(body)
    assert KEY not in clean.body and json.dumps(KEY)[1:-1] not in clean.body
    assert clean.body.splitlines()[:3] == body.splitlines()[:3] and clean.content_type == "text/event-stream"
    assert assemble(clean.body.encode())["choices"][0]["message"]["content"] == "one two ***"
    plain = TapedReply(200, "text/event-stream", stream({"content": "one "}, {"content": "two"}))
    assert hidden_reply(plain, hide) == plain


@pytest.mark.parametrize(
    "delta",
    [lambda text: {"content": text}, arguments, lambda text: {"content": [{"type": "text", "text": text}]}],
    ids=["content", "arguments", "parts"],
)
def test_a_key_in_pieces_is_put_together_and_taken_out(delta: Any) -> None:
    """A stream that spells the key over several events is kept as the reply it makes up, without it."""
    pieces = ["so: ", KEY[:3], KEY[3:9], KEY[9:], " it is"]
    clean = cleaned(stream(*map(delta, pieces)))
    assert clean.content_type == "application/json" and "so: *** it is" in clean.body
    assert KEY[3:9] not in clean.body


def test_a_broken_stream_is_kept_as_it_broke() -> None:
    """It loses the key as well; a whole one whose events spell it where no client reads is kept as its reply."""
    clean = cleaned(f"data: {{\n\ndata: {KEY}\n\nx {KEY}")
    assert clean == TapedReply(200, "text/event-stream", "data: {\n\ndata: ***\n\nx ***")
    clean = cleaned(stream({"content": "hi", "signature": KEY[:5]}, {"signature": KEY[5:]}))
    assert "hi" in clean.body and KEY[5:] not in clean.body and clean.content_type == "application/json"


PARTS = [
    ["so ", KEY[:5], KEY[5:], " is"],
    [{"type": "text", "text": "so " + KEY[:5]}, {"type": "image", "url": "x"},
     {"type": "text", "text": KEY[5:] + " is"}],
    [{"text": "so "}, {"text": [KEY[:5], {"text": KEY[5:9]}]}, KEY[9:], {"text": " is"}],
]  # fmt: skip


@pytest.mark.parametrize("parts", PARTS, ids=["texts", "objects", "nested"])
@pytest.mark.parametrize("name", ["content", "reasoning_content"])
def test_a_key_in_pieces_over_parts_is_taken_out(parts: list[Any], name: str) -> None:
    """The parts say together what they said, without the key; parts without text stay."""
    clean = hidden(json.dumps({"choices": [{"message": {name: parts}}]}), hide)
    message = json.loads(clean)["choices"][0]["message"]
    chunk = {"choices": [{"delta": message, "finish_reason": "stop"}]}
    whole = assemble(f"data: {json.dumps(chunk)}\n\n".encode())
    assert whole["choices"][0]["message"][name] == "so *** is" and hidden(clean, hide) == clean
    assert KEY[5:9] not in clean and KEY[9:] not in clean and ("url" in clean) == ("url" in json.dumps(parts))


def test_a_secret_that_ends_in_another_is_taken_out_whole() -> None:
    """User and password over two pieces, the second with all of the password: kept as the client hides them joined."""
    hiding, pieces = Hiding(["robot:pass-word-1", "pass-word-1"]), ["as ro", "bot:pass-word-1 now"]
    events = hidden_reply(TapedReply(200, "text/event-stream", stream(*({"content": one} for one in pieces))), hiding)
    assert events is not None and "as *** now" in events.body
    parts = hidden(json.dumps({"content": [{"text": one} for one in pieces]}), hiding)
    assert json.loads(parts) == {"content": [{"text": "as *** now"}, {"text": ""}]}


def test_parts_under_any_name_are_joined() -> None:
    """What a vendor calls its thoughts is no matter."""
    clean = hidden(json.dumps({"blocks": [{"thinking": KEY[:5], "n": 1}, {"thinking": KEY[5:], "n": 2}]}), hide)
    assert json.loads(clean) == {"blocks": [{"thinking": "***", "n": 1}, {"thinking": "", "n": 2}]}


def broken(*deltas: dict[str, Any], end: str = "") -> str:
    return sse(*({"choices": [{"index": 0, "delta": one}]} for one in deltas), end=end).decode()


@pytest.mark.parametrize(
    "body",
    [
        broken({"content": KEY[:5]}, {"content": KEY[5:]}),
        broken({"reasoning_content": [{"text": KEY[:5]}]}, {"reasoning_content": [{"text": KEY[5:]}]}),
        broken(arguments(KEY[:5]), {"content": "x"}, arguments(KEY[5:])),
        broken({"content": KEY[:5]}, {"content": KEY[5:]}, end="data: [1, \n\n"),
        broken({"content": "a " + KEY[:-4]}, end='data: {"choices":[{"index":0,"delta":{"content":"' + KEY[-4:]),
    ],
    ids=["content", "parts", "arguments", "malformed", "cut off"],
)
def test_a_broken_stream_that_spells_the_key_is_not_kept(body: str) -> None:
    """It makes up no reply, so there is none to keep; without the key it stays as it is."""
    assert hidden_reply(TapedReply(200, "text/event-stream", body), hide) is None
    assert cleaned(body, 500) == TapedReply(500, "text/event-stream", "***")
    other = body.replace(json.dumps(KEY[:5])[1:-1], "other")
    assert other != body and cleaned(other).body == other
