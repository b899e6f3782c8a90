"""The live-model road, against a real local server."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Brief, Completion, RunKey, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel

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
    model = OpenAICompatibleModel("m-1", server.base_url, "sk-test", timeout_s=10, max_retries=retries)
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
    """No usage is not zero usage."""
    server.will(200, completion({"content": "hi"}, usage=None))
    assert ask(server).usage == Usage(0, 0, reported=False)


@pytest.mark.parametrize(
    ("status", "body", "headers", "reason"),
    [
        (429, {"error": {"message": "slow down"}}, {}, "rate_limit"),
        (500, {"error": {"message": "boom"}}, {}, "server"),
        (503, b"<html>busy</html>", {"content_type": "text/html"}, "server"),
        (400, {"error": {"message": "context too long", "param": "messages"}}, {}, "server"),
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
        (200, completion({"content": None, "tool_calls": [{"id": "c", "type": "function"}]}), {}, "malformed"),
        (200, b"\x1f\x8bnot gzip", {"content_encoding": "gzip"}, "malformed"),
        (0, b"", {}, "connection"),
    ],
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
    ("status", "where"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "MODEL or OPENAI_BASE_URL")]
)
def test_settings_that_would_fail_every_run_end_the_command(server: ChatServer, status: int, where: str) -> None:
    """A rejected key or an unknown model is the user's to mend, at once and on one line without the key."""
    server.will(status, {"error": {"message": "no: Bearer sk-test-0123456789"}})
    with pytest.raises(BadInput, match="--resume") as caught:
        OpenAICompatibleModel("m", server.base_url, "sk-test-0123456789").session(KEY, Brief("q")).complete(ASK, ())
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


def test_a_key_that_is_repeated_is_not_kept(server: ChatServer) -> None:
    """A server that says the key gets no word of it into a run folder; a short key is an ordinary word."""
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "sk-test-0123456789 none"}}
    server.will(200, completion({"content": "sk-test-0123456789 none", "tool_calls": [call]}))
    for key, kept in (("sk-test-0123456789", "*** none"), ("none", "sk-test-0123456789 none")):
        message = OpenAICompatibleModel("m", server.base_url, key).session(KEY, Brief("q")).complete(ASK, ()).message
        assert (message.content, message.tool_calls[0].arguments) == (kept, kept)


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


def test_the_client_is_imported_only_when_used() -> None:
    """Making a model costs no import of openai."""
    code = (
        "import sys; from caia_replay.models.resolve import resolve_model; resolve_model('x', {'OPENAI_API_KEY': 'k'});"
        "resolve_model('policy/oracle', {}); sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
