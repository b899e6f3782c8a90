"""Recording a live model over real HTTP: what a turn came to, and what never gets onto a tape."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx2
import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, Model, PolicyHints, RunKey
from caia_replay.core.tape import TapedFault, TapedReply
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.recorded import RecordedModel
from caia_replay.models.retry import Patience
from caia_replay.models.tape_recorder import RecordingTransport, recording
from tests.chat_server import ChatServer
from tests.unit.models.conftest import ASK, CALL, TOOL, Tape, completion, delta, sse

SECRET = "sk-test/0123456789"
KEY = RunKey("t", "clean", "tools", "react", 1)
NO_TEXT = b'{"choices": [{"message": {"role": "assistant", "content": "\xff"}}]}'
"""It would be a completion, were its one letter a letter."""


def live(server: ChatServer, sink: Tape, **options: Any) -> Model:
    """A recorded live model that retries without waiting."""
    patience = Patience(first_s=0.0, sleep=lambda _: None)
    made = OpenAICompatibleModel("m", server.base_url, SECRET, timeout_s=10, patience=patience, **options)
    return recording(made, sink)


def outcome(ask: Callable[[], Completion]) -> Any:
    """What a turn came to, a fault's wording aside."""
    try:
        return ask()
    except ModelFault as fault:
        return fault.reason


def played(model: Model, turns: int = 1, tools: tuple[ToolSpec, ...] = ()) -> list[Any]:
    """The outcomes of as many turns, all asking the same; closed then."""
    session = model.session(KEY, PolicyHints("What?"))
    got = [outcome(lambda: session.complete(ASK, tools)) for _ in range(turns)]
    session.close()
    session.close()
    model.close()
    return got


def replayed(sink: Tape, turns: int = 1, tools: tuple[ToolSpec, ...] = ()) -> list[Any]:
    return played(RecordedModel("recorded/m", sink), turns, tools)


def test_turns_are_kept_in_order_and_replay_equal(server: ChatServer) -> None:
    """Equal requests with other answers, calls, streams and redirects: what was heard live is heard again."""
    stream = sse(delta({"content": "str\u00e9am"}, "stop"))
    halves = json.dumps(completion({"content": "a?"})).encode().replace(b"?", b"\xed\xa0\x80")
    zipped = gzip.compress(json.dumps(completion({"content": "zipped"})).encode(), mtime=0)
    server.will(200, completion({"content": None, "tool_calls": [CALL]}))
    server.will(200, stream, content_type="text/event-stream")
    server.will(200, zipped, content_encoding="gzip")
    server.will(307, {}, location="/v1/elsewhere")
    server.will(200, completion({"content": "four"}, usage=None))
    server.will(200, halves)  # bytes that only Python's parser takes for text
    sink = Tape()
    heard = played(live(server, sink), 5, (TOOL,))
    assert [item.message.content for item in heard][:4] == ["", "str\u00e9am", "zipped", "four"]
    assert replayed(sink, 5, (TOOL,)) == heard and len(server.received) == 6 and repr(sink.runs).encode("utf-8")
    asked = [body for _, body in server.received]
    assert [json.loads(turn.request) for turn in sink.runs[KEY]] == asked[:4] + asked[5:]
    kinds = [turn.outcome.content_type for turn in sink.runs[KEY] if isinstance(turn.outcome, TapedReply)]
    assert kinds == ["application/json", "text/event-stream"] + ["application/json"] * 3
    for headers, _ in server.received:  # run and turn are for the recorder alone, the other headers for the server
        assert headers["authorization"] == f"Bearer {SECRET}"
        assert not [name for name in headers if "caia" in name or "replay" in name]


def test_retries_and_refused_parameters_leave_no_trace(server: ChatServer) -> None:
    """The last request and reply of a turn are the turn."""
    server.will(429, {"error": {"message": "slow down"}}, retry_after_ms="0")
    server.will(0, b"")
    server.will(400, {"error": {"message": "Unsupported value", "param": "temperature"}})
    server.will(200, completion({"content": "one"}))
    sink = Tape()
    heard = played(live(server, sink), 2)
    assert len(server.received) == 5 and replayed(sink, 2) == heard
    assert ["temperature" in json.loads(turn.request) for turn in sink.runs[KEY]] == [False, False]


@pytest.mark.parametrize(
    ("status", "body", "headers", "reason"),
    [
        (429, {"error": {"message": "slow down"}}, {}, "rate_limit"),
        (500, {"error": {"message": "boom"}}, {}, "server"),
        (400, {"error": {"message": "too long", "code": "context_length_exceeded"}}, {}, "context_overflow"),
        (200, b"<html>welcome</html>", {"content_type": "text/html"}, "malformed"),
        (200, b"\xff\xfe\x00", {}, "malformed"),
        (200, b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}", {}, "malformed"),
        (200, NO_TEXT, {}, "malformed"),
        (200, b"\x1f\x8bnot gzip", {"content_encoding": "gzip"}, "malformed"),
        (200, b"data: {}\n\n", {"content_type": "text/event-stream"}, "connection"),
        (0, b"", {}, "connection"),
    ],
    ids=range(10),
)
def test_a_fault_is_a_turn_too(server: ChatServer, status: int, body: Any, headers: Any, reason: str) -> None:
    """After every retry, a turn that failed fails again in the same way, and the tape says how."""
    server.will(status, body, **headers)
    sink = Tape()
    assert played(live(server, sink, max_retries=2)) == replayed(sink) == [reason]
    kept = sink.runs[KEY][0]
    is_text = status and body not in (b"\xff\xfe\x00", NO_TEXT, b"\x1f\x8bnot gzip")
    assert isinstance(kept.outcome, TapedReply if is_text else TapedFault) and json.loads(kept.request)["messages"]


def test_silence_is_kept_as_a_timeout() -> None:
    """A server that never answers costs a replay no time."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url, sink = f"http://127.0.0.1:{silent.getsockname()[1]}/v1", Tape()
        made = OpenAICompatibleModel("m", url, SECRET, timeout_s=0.05, max_retries=0)
        assert played(recording(made, sink)) == replayed(sink) == ["timeout"]


def test_the_key_is_nowhere_on_the_tape(server: ChatServer) -> None:
    """Repeated by the server in a text, in arguments, in an error or in pieces: the tape and its replay lack it."""
    half = len(SECRET) // 2
    events = sse(delta({"content": SECRET[:half]}), delta({"content": SECRET[half:]}), delta({}, "stop"))
    called = {**CALL, "function": {"name": "add", "arguments": json.dumps({"a": SECRET})}}
    said = json.dumps(completion({"content": f"it is {SECRET}", "tool_calls": [called]}))
    server.will(200, said.replace("/", "\\/").encode())
    server.will(200, events, content_type="text/event-stream")
    server.will(400, {"error": {"message": f"no: {SECRET}"}})
    sink = Tape()
    session = live(server, sink).session(KEY, PolicyHints("What?"))
    heard = [outcome(partial(session.complete, [said], ())) for said in (*ASK, Message("user", f"{SECRET}!"))]
    session.close()
    assert [item.message.content for item in heard[:2]] == ["it is ***", "***"] and heard[2] == "server"
    kept = repr(sink.runs)
    assert "0123456789" not in kept and SECRET[:half] not in kept
    again = RecordedModel("r", sink).session(KEY, PolicyHints("What?"))
    asked = (*ASK, Message("user", "***!"))
    assert [outcome(partial(again.complete, [said], ())) for said in asked] == heard


def test_a_fault_is_kept_in_the_clients_words(server: ChatServer) -> None:
    """A broken stream that spells the key keeps no events; no fault holds an address, the endpoint's or another."""
    broken = sse(delta({"content": SECRET[:9]}), delta({"content": SECRET[9:]}), end="")
    server.will(200, broken, content_type="text/event-stream")
    sink = Tape()
    assert played(live(server, sink, max_retries=0)) == replayed(sink) == ["connection"]
    assert sink.runs[KEY][0].outcome == TapedFault("connection", "the stream ended early")
    server.plan.clear()
    server.will(0, b"")
    server.will(307, {}, location="http://127.0.0.1:9/private/v1")
    played(live(server, sink, max_retries=0), 2)
    told = [turn.outcome.detail for turn in sink.runs[KEY] if isinstance(turn.outcome, TapedFault)]
    assert len(told) == 2 and all(told) and "127.0.0.1" not in repr(told) and "private" not in repr(told)


def test_a_run_that_was_broken_off_is_not_kept(server: ChatServer) -> None:
    """Settings that only the user can mend end the command; the run is played again, and no half of it is on a tape."""
    server.will(200, completion({"content": "one"}))
    server.will(401, {"error": {"message": "no"}})
    sink = Tape()
    session = live(server, sink).session(KEY, PolicyHints("What?"))
    session.complete(ASK, ())
    with pytest.raises(BadInput, match="rejected the key"):
        session.complete(ASK, ())
    session.close()
    assert sink.runs == {}


def test_a_stream_is_kept_as_its_reader_reads_it(server: ChatServer) -> None:
    """Bytes that are no text are marks in the completion; live and replayed alike."""
    events = sse(delta({"content": "a?b~"}, "stop"))
    for other in (b"~", b"\xff"):  # halves of surrogate pairs alone, and with what is no text in any reading
        server.will(200, events.replace(b"?", b"\xed\xa0\x80").replace(b"~", other), content_type="text/event-stream")
    sink = Tape()
    heard = played(live(server, sink), 2)
    assert [item.message.content for item in heard] == ["a\ufffd\ufffd\ufffdb~", "a\ufffd\ufffd\ufffdb\ufffd"]
    assert replayed(sink, 2) == heard and isinstance(sink.runs[KEY][0].outcome, TapedReply)


def test_headers_pass_as_they_came() -> None:
    """Letters outside ASCII in a header of no interest are no fault, recorded or not."""
    region = "Z\u00fcrich".encode("latin-1")
    sent = [(b"x-region", region), (b"x-two", b"1"), (b"X-Two", b"2"), (b"Content-Length", b"2")]
    inner = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=sent, content=b"hi"))
    with httpx2.Client(transport=RecordingTransport(inner, str)) as client:
        got = client.post("http://h.example/a", content=b"{}")
    assert got.headers["x-region"] == "Z\u00fcrich" and got.headers.get_list("x-two") == ["1", "2"] and got.text == "hi"
