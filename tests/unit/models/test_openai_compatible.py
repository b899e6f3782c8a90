"""The live-model road, against a real local server."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, PolicyHints, Price, RunKey, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.retry import Patience
from tests.chat_server import ChatServer
from tests.unit.models.conftest import ASK, CALL, KEY, TOOL, completion, delta, sse


def ask(server: ChatServer, *, address: str = "", key: str = "sk-test", tools: tuple[ToolSpec, ...] = ()) -> Completion:
    """One completion from the server, tried once."""
    model = OpenAICompatibleModel("m-1", address or server.base_url, key, timeout_s=10, max_retries=0)
    try:
        return model.session(KEY, PolicyHints("What?")).complete(ASK, tools)
    finally:
        model.close()


def test_a_completion_arrives_whole(server: ChatServer) -> None:
    """Text, calls, usage and finish reason; key, temperature, seed and strict tools are sent; no usage is estimated."""
    server.will(200, completion({"content": "Let me see.", "tool_calls": [CALL]}))
    server.will(200, completion({"content": "hi"}, usage=None))
    got = ask(server, tools=(TOOL,))
    assert got.message == Message("assistant", "Let me see.", (ToolCall("c1", "add", '{"a": 1}'),))
    assert (got.usage, got.finish_reason) == (Usage(7, 3), "stop")
    headers, body = server.received[0]
    assert headers["authorization"] == "Bearer sk-test"
    assert (body["model"], body["temperature"], body["seed"]) == ("m-1", 0, 2)
    assert body["messages"] == [{"role": message.role, "content": message.content} for message in ASK]
    told = {"name": "add", "description": "Adds.", "parameters": TOOL.parameters, "strict": True}
    assert body["tools"][0]["function"] == told
    assert ask(server).usage == Usage(-(-len("Be exact.What?") // 4), 1, reported=False)


def test_a_redirect_off_the_endpoint_is_its_fault(server: ChatServer) -> None:
    """Nothing of the conversation goes there, also on this machine; asking again would not help."""
    server.will(307, {}, location="http://127.0.0.1:1/v1/chat/completions")
    waits: list[float] = []
    model = OpenAICompatibleModel("m", server.base_url, "k", timeout_s=10, patience=Patience(sleep=waits.append))
    with pytest.raises(ModelFault, match=r"redirects: to another scheme, host or port") as caught:
        model.session(KEY, PolicyHints("q")).complete(ASK, ())
    model.close()
    assert caught.value.reason == "connection" and waits == [] and len(server.received) == 1


def test_settings_that_would_fail_every_run_end_the_command(server: ChatServer) -> None:
    """A rejected key, no credit or an unknown model is the user's to mend, at once and on one line without the key."""
    model = OpenAICompatibleModel("m", server.base_url, "sk-test-0123456789", key_variable="XAI_API_KEY")
    for count, status in enumerate((401, 402, 403, 404), 1):
        server.plan.clear()
        server.will(status, {"error": {"message": "no: Bearer sk-test-0123456789"}})
        with pytest.raises(BadInput) as caught:
            model.session(KEY, PolicyHints("q")).complete(ASK, ())
        assert caught.value.where == ("XAI_API_KEY" if status != 404 else "MODEL or OPENAI_BASE_URL")
        # The model is a part of the plan that is resumed.
        assert ("--resume" in caught.value.next_command) == (status != 404) and caught.value.next_command
        assert "sk-test" not in str(caught.value) and len(server.received) == count
    model.close()


def test_nobody_listening_ends_the_command(server: ChatServer) -> None:
    """A refused connection names the bare address, and no password."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(BadInput) as caught:
            ask(server, address=f"http://me:{WORD}@{place}")
    assert f"no server answers at http://{place}: " in str(caught.value) and WORD not in str(caught.value)


WORD = "pass-word-0123"


@pytest.mark.parametrize("status", [0, 307, 308, 404])
def test_no_fault_tells_the_address_or_its_password(server: ChatServer, status: int) -> None:
    """Faults are kept with the run and on tapes, which others are given; a line for the user names the bare address."""
    server.will(status, b"", location="ftp://far.example/" if status == 307 else "/v1/chat/completions")
    place = server.base_url.removeprefix("http://")
    with pytest.raises((ModelFault, BadInput)) as caught:
        ask(server, address=f"http://me:{WORD}@{place}")
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
        model.session(KEY, PolicyHints("q")).complete(ASK, ())
    model.close()
    assert "llm.example" not in str(caught.value) and WORD not in str(caught.value)


def test_a_key_that_is_repeated_is_not_kept(server: ChatServer) -> None:
    """No word of it gets into a run folder, nor of a password, escaped or not; a short key is an ordinary word."""
    quoted, place = 'sk-test-"0123456789', server.base_url.replace("//", f"//me:{WORD}@")
    for address, key, said, kept in (
        ("", "sk-test-0123456789", "sk-test-0123456789 none", "*** none"),
        ("", "none", "sk-test-0123456789 none", "sk-test-0123456789 none"),
        ("", quoted, json.dumps({"said": quoted}), '{"said": "***"}'),
        (place, "k", f"you are {WORD}", "you are ***"),
    ):
        call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": said}}
        server.plan.clear()
        server.will(200, completion({"content": said, "tool_calls": [call]}))
        message = ask(server, address=address, key=key).message
        assert (message.content, message.tool_calls[0].arguments) == (kept, kept)


def test_the_model_that_answered_is_named(server: ChatServer) -> None:
    """The server's word, streamed or not; what is no text is no name."""
    for body, kind, name in (
        (completion({"content": "hi"}, model="m-2026-01-01"), "application/json", "m-2026-01-01"),
        (sse({"model": "m-streamed"} | delta({"content": "hi"}, "stop")), "text/event-stream", "m-streamed"),
        (completion({"content": "hi"}, model=7), "application/json", ""),
    ):
        server.plan.clear()
        server.will(200, body, content_type=kind)
        assert ask(server).served_as == name


def test_sessions_share_one_client_across_threads(server: ChatServer) -> None:
    """Each attempt has its own seed; one asks by its server's name and is billed by ours; closed, it opens again."""
    server.will(200, completion({"content": "hi"}))
    price = Price("1", "2", "2026-01-01", "https://prices.example")
    model = OpenAICompatibleModel("grok-4", server.base_url, "k", seed=10, api_name="grok-4-0709", price=price)
    keys = [RunKey("t", "clean", "tools", "react", attempt) for attempt in range(8)]
    for _ in range(2):
        server.received.clear()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda key: model.session(key, PolicyHints("q")).complete(ASK, ()), keys))
        assert model.client() is model.client()
        model.close()
        model.close()
        assert sorted(body["seed"] for _, body in server.received) == list(range(10, 18))
    assert server.received[0][1]["model"] == "grok-4-0709" and (model.name, model.price) == ("grok-4", price)
