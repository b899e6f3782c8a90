"""The live-model road, against a real local server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Brief, Completion, Price, RunKey, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.retry import Patience
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER

if TYPE_CHECKING:
    from conftest import ChatServer

KEY = RunKey("t", "clean", "tools", "react", 2)
ASK = [Message("system", "Be exact."), Message("user", "What?")]
TOOL = ToolSpec(
    "add", "Adds.", {"type": "object", "properties": {}, "additionalProperties": False}, "c", "authoritative"
)


def completion(message: dict[str, Any], **other: Any) -> dict[str, Any]:
    """A completion as servers send it."""
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return body | {"usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}} | other


def ask(server: ChatServer, *, retries: int = 0, tools: tuple[ToolSpec, ...] = ()) -> Completion:
    """One completion from the server."""
    patience = Patience(sleep=lambda _: None)
    model = OpenAICompatibleModel(
        "m-1", server.base_url, "sk-test", timeout_s=10, max_retries=retries, patience=patience
    )
    try:
        return model.session(KEY, Brief("What?")).complete(ASK, tools)
    finally:
        model.close()


def test_a_completion_arrives_whole(server: ChatServer) -> None:
    """Text, tool calls, usage and finish reason; key, temperature, seed and strict tools are sent."""
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    server.will(200, completion({"content": "Let me see.", "tool_calls": [call]}))
    got = ask(server, tools=(TOOL,))
    assert got.message == Message("assistant", "Let me see.", (ToolCall("c1", "add", '{"a": 1}'),))
    assert (got.usage, got.finish_reason) == (Usage(7, 3), "stop")
    headers, body = server.received[0]
    assert headers["authorization"] == "Bearer sk-test"
    assert (body["model"], body["temperature"], body["seed"]) == ("m-1", 0, 2)
    assert body["messages"] == [{"role": message.role, "content": message.content} for message in ASK]
    assert body["tools"][0]["function"] == {
        "name": "add", "description": "Adds.", "parameters": TOOL.parameters, "strict": True,
    }  # fmt: skip


def test_without_tools_none_are_sent(server: ChatServer) -> None:
    """An empty tools array is refused by servers, so there is no such key."""
    server.will(200, completion({"content": "hi"}))
    ask(server)
    assert "tools" not in server.received[0][1]


def test_missing_usage_is_marked(server: ChatServer) -> None:
    """No usage is not zero usage: it is estimated."""
    server.will(200, completion({"content": "hi"}, usage=None))
    assert ask(server).usage == Usage(-(-len("Be exact.What?") // 4), 1, reported=False)


@pytest.mark.parametrize(
    ("status", "body", "headers", "reason"),
    [
        (429, {"error": {"message": "slow down"}}, {}, "rate_limit"),
        (500, {"error": {"message": "boom"}}, {}, "server"),
        (503, b"<html>busy</html>", {"content_type": "text/html"}, "server"),
        (400, {"error": {"message": "messages are no good", "param": "messages"}}, {}, "server"),
        (400, {"error": {"message": "Too long.", "code": "context_length_exceeded"}}, {}, "context_overflow"),
        (200, b"<html>welcome</html>", {"content_type": "text/html"}, "malformed"),
        (200, b'{"choices": [', {}, "malformed"),
        (200, b"\xff\xfe\x00", {}, "malformed"),
        (200, b"", {}, "malformed"),
        (200, b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}", {}, "malformed"),
        (200, b"null", {}, "malformed"),
        (200, [1, 2], {}, "malformed"),
        (200, {}, {}, "malformed"),
        (200, {"choices": []}, {}, "malformed"),
        (200, {"choices": "many"}, {}, "malformed"),
        (200, {"choices": [None]}, {}, "malformed"),
        (200, {"choices": [{"index": 0}]}, {}, "malformed"),
        (200, {"choices": [{"index": 0, "message": "hello"}]}, {}, "malformed"),
        (200, completion({"content": 42}), {}, "malformed"),
        (200, completion({"content": None, "tool_calls": "call"}), {}, "malformed"),
        (200, completion({"content": None, "tool_calls": ["c"]}), {}, "malformed"),
        (200, {"error": {"message": "boom"}}, {}, "server"),
        (200, b"\x1f\x8bnot gzip", {"content_encoding": "gzip"}, "malformed"),
        (0, b"", {}, "connection"),
    ],
    ids=range(24),
)
def test_a_bad_server_is_a_named_fault(
    server: ChatServer, status: int, body: Any, headers: dict[str, str], reason: str
) -> None:
    """Whatever a server does, the run ends in a ModelFault with a stable reason on one line."""
    server.will(status, body, **headers)
    with pytest.raises(ModelFault) as caught:
        ask(server)
    assert caught.value.reason == reason and "\n" not in str(caught.value)
    assert "sk-test" not in str(caught.value)


def test_a_redirect_to_another_machine_is_a_fault_of_the_endpoint(server: ChatServer) -> None:
    """Under a replay's guard the client goes nowhere else, and the run ends as the model's fault, the host named."""
    server.will(307, {}, location="http://192.0.2.1/v1/chat/completions")
    with egress_guard(), pytest.raises(ModelFault, match=r"redirects: .*'192\.0\.2\.1' is refused") as caught:
        ask(server)
    assert caught.value.reason == "connection"


@pytest.mark.parametrize(
    ("status", "where"),
    [(401, "XAI_API_KEY"), (402, "XAI_API_KEY"), (403, "XAI_API_KEY"), (404, "MODEL or OPENAI_BASE_URL")],
)
def test_settings_that_would_fail_every_run_end_the_command(server: ChatServer, status: int, where: str) -> None:
    """A rejected key, no credit or an unknown model is the user's to mend, at once and on one line without the key."""
    server.will(status, {"error": {"message": "no: Bearer sk-test-0123456789"}})
    model = OpenAICompatibleModel("m", server.base_url, "sk-test-0123456789", key_variable="XAI_API_KEY")
    with pytest.raises(BadInput) as caught:
        model.session(KEY, Brief("q")).complete(ASK, ())
    model.close()
    # The model is a part of the plan that is resumed.
    assert ("--resume" in caught.value.next_command) == (status != 404) and caught.value.next_command
    assert caught.value.where == where and "sk-test" not in str(caught.value)
    assert len(server.received) == 1


def test_nobody_listening_ends_the_command() -> None:
    """A refused connection names the address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = OpenAICompatibleModel("m", url, "k", max_retries=0)
        with pytest.raises(BadInput, match=r"no server answers at http://127\.0\.0\.1"):
            model.session(KEY, Brief("q")).complete(ASK, ())
        model.close()


WORD = "pass-word-0123"


@pytest.mark.parametrize("status", [0, 307, 308, 404])
def test_no_fault_tells_the_address_or_its_password(server: ChatServer, status: int) -> None:
    """Faults are kept with the run and on tapes, which others are given; a line for the user names the bare address."""
    server.will(status, b"", location="ftp://far.example/" if status == 307 else "/v1/chat/completions")
    place = server.base_url.removeprefix("http://")
    model = OpenAICompatibleModel("m", f"http://me:{WORD}@{place}", "k", max_retries=0)
    with pytest.raises((ModelFault, BadInput)) as caught:
        model.session(KEY, Brief("q")).complete(ASK, ())
    model.close()
    told = str(caught.value)
    assert WORD not in told and "me:" not in told
    assert isinstance(caught.value, BadInput) == (status == 404) == (place in told)
    assert ("far.example" in told or "redirect" in told) == (status in (307, 308))


@pytest.mark.parametrize("fault", [httpx2.ReadError, httpx2.ReadTimeout, httpx2.TooManyRedirects])
def test_a_client_that_repeats_the_place_is_not_quoted(fault: Any) -> None:
    """Its words are kept with the run; where the endpoint is, is not."""

    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise fault(f"cannot read llm.example:8080 as me:{WORD}@llm.example:8080", request=request)

    address = f"http://me:{WORD}@llm.example:8080/v1"
    model = OpenAICompatibleModel("m", address, "k", transport=httpx2.MockTransport(refuse), max_retries=0)
    with pytest.raises(ModelFault, match="cannot read the endpoint as the endpoint") as caught:
        model.session(KEY, Brief("q")).complete(ASK, ())
    model.close()
    assert "llm.example" not in str(caught.value) and WORD not in str(caught.value)


def test_a_password_that_is_repeated_is_not_kept(server: ChatServer) -> None:
    """It is hidden as the key is."""
    server.will(200, completion({"content": f"you are {WORD}"}))
    address = server.base_url.replace("//", f"//me:{WORD}@")
    message = OpenAICompatibleModel("m", address, "k").session(KEY, Brief("q")).complete(ASK, ()).message
    assert message.content == "you are ***"


def test_nobody_listening_is_told_without_the_password() -> None:
    """The line names the bare address alone."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}/v1"
        model = OpenAICompatibleModel("m", f"http://me:{WORD}@{place}", "k", max_retries=0)
        with pytest.raises(BadInput) as caught:
            model.session(KEY, Brief("q")).complete(ASK, ())
        model.close()
    assert f"no server answers at http://{place}: " in str(caught.value) and WORD not in str(caught.value)


def test_a_key_that_is_repeated_is_not_kept(server: ChatServer) -> None:
    """A server that says the key gets no word of it into a run folder; a short key is an ordinary word."""
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "sk-test-0123456789 none"}}
    server.will(200, completion({"content": "sk-test-0123456789 none", "tool_calls": [call]}))
    for key, kept in (("sk-test-0123456789", "*** none"), ("none", "sk-test-0123456789 none")):
        message = OpenAICompatibleModel("m", server.base_url, key).session(KEY, Brief("q")).complete(ASK, ()).message
        assert (message.content, message.tool_calls[0].arguments) == (kept, kept)


def test_a_key_spelt_as_json_is_not_kept_either(server: ChatServer) -> None:
    """A key with a quotation mark stands escaped in a tool call's arguments, which are JSON in a text."""
    key = 'sk-test-"0123456789'
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": json.dumps({"said": key})}}
    server.will(200, completion({"content": None, "tool_calls": [call]}))
    message = OpenAICompatibleModel("m", server.base_url, key).session(KEY, Brief("q")).complete(ASK, ()).message
    assert message.tool_calls[0].arguments == '{"said": "***"}'


def test_the_model_that_answered_is_named(server: ChatServer) -> None:
    """The server's word, streamed or not; what is no text is no name."""
    server.will(200, completion({"content": "hi"}, model="m-2026-01-01"))
    assert ask(server).served_as == "m-2026-01-01"
    chunk = {"model": "m-streamed", "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    stream = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
    server.plan.clear()
    server.will(200, stream, content_type="text/event-stream")
    assert ask(server).served_as == "m-streamed"
    server.plan.clear()
    server.will(200, completion({"content": "hi"}, model=7))
    assert ask(server).served_as == ""


def test_retries_are_capped(server: ChatServer) -> None:
    """A storm of 429 ends after the first try and the retries; one that passes is survived."""
    server.will(429, {"error": {"message": "slow down"}}, retry_after_ms="1")
    with pytest.raises(ModelFault, match="slow down"):
        ask(server, retries=2)
    assert len(server.received) == 3
    server.plan.clear()
    server.will(429, {}, retry_after_ms="1")
    server.will(200, completion({"content": "hi"}))
    assert ask(server, retries=2).message.content == "hi"


def test_a_refused_parameter_is_left_out_and_told(server: ChatServer) -> None:
    """Reasoning models refuse temperature: it is left out from then on, and the model says so."""
    server.will(400, {"error": {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}})
    server.will(200, completion({"content": "hi"}))
    model = OpenAICompatibleModel("m", server.base_url, "k", max_retries=0)
    session = model.session(KEY, Brief("q"))
    assert session.complete(ASK, ()).message.content == session.complete(ASK, ()).message.content == "hi"
    model.close()
    assert model.refused_parameters == {"temperature"}
    assert [("temperature" in body, body["seed"]) for _, body in server.received] == [(True, 2), (False, 2), (False, 2)]


def test_sessions_share_one_client_across_threads(server: ChatServer) -> None:
    """Many runs at once use one client, and each attempt its own seed."""
    server.will(200, completion({"content": "hi"}))
    model = OpenAICompatibleModel("m", server.base_url, "k", seed=10)
    keys = [RunKey("t", "clean", "tools", "react", attempt) for attempt in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: model.session(key, Brief("q")).complete(ASK, ()), keys))
    assert model.client() is model.client()
    model.close()
    assert sorted(body["seed"] for _, body in server.received) == list(range(10, 18))


def test_a_model_is_asked_by_its_servers_name_and_billed_by_ours(server: ChatServer) -> None:
    """The label is ours; price and key's place are kept for those who ask."""
    server.will(200, completion({"content": "hi"}))
    price = Price("1", "2", "2026-01-01", "https://prices.example")
    model = OpenAICompatibleModel("grok-4", server.base_url, "k", api_name="grok-4-0709", price=price)
    model.session(KEY, Brief("q")).complete(ASK, ())
    model.close()
    assert server.received[0][1]["model"] == "grok-4-0709" and (model.name, model.price) == ("grok-4", price)


def test_only_a_keyed_model_names_its_runs(server: ChatServer) -> None:
    """Transports on this machine are told run and turn; an endpoint is told neither, not even of a keyed model."""
    seen: list[tuple[str | None, str | None]] = []

    class Noting(httpx2.BaseTransport):
        def __init__(self, inner: httpx2.BaseTransport) -> None:
            self.inner = inner

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            seen.append((request.headers.get(RUN_HEADER), request.headers.get(TURN_HEADER)))
            return self.inner.handle_request(request)

        def close(self) -> None:
            self.inner.close()

    server.will(200, completion({"content": "hi"}))
    model = OpenAICompatibleModel("m", server.base_url, "k")
    plain = OpenAICompatibleModel("m", server.base_url, "k", transport=Noting(model.transport()))
    model.reroute(Noting(model.transport()))
    for one in (plain, model):
        session = one.session(KEY, Brief("q"))
        session.complete(ASK, ())
        session.complete(ASK, ())
        session.close()
        session.close()
        one.close()
    run = '["t","clean","tools","react",2]'
    assert seen == [(None, None), (None, None), (run, "1"), (run, "2")]
    assert not any("caia" in name for headers, _ in server.received for name in headers)


def test_a_closed_model_opens_again(server: ChatServer) -> None:
    """Closing ends connections, not the model."""
    server.will(200, completion({"content": "hi"}))
    model = OpenAICompatibleModel("m", server.base_url, "k")
    for _ in range(2):
        assert model.session(KEY, Brief("q")).complete(ASK, ()).message.content == "hi"
        model.close()
        model.close()


def test_the_client_is_imported_only_when_used() -> None:
    """Making a model costs no import of openai."""
    code = (
        "import sys; from caia_replay.models.openai_compatible import OpenAICompatibleModel;"
        "OpenAICompatibleModel('m', 'http://m.invalid/v1', 'k');"
        "sys.exit(bool({'openai', 'httpx2'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
