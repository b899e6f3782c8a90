"""A conversation: what is asked, what is asked again, and what its end is called."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.parameter import Quirks
from caia_replay.models.retry import Patience
from tests.chat_server import ChatServer
from tests.unit.models.conftest import ASK, KEY, TOOL, completion, delta, sse

HI = completion({"content": "hi"})


class Asked:
    """A model of a server; waits are noted instead of waited."""

    def __init__(self, server: ChatServer, quirks: Quirks | None = None, *, retries: int = 4) -> None:
        self.server, self.waits = server, list[float]()
        patience = Patience(longest_s=10, total_s=15, sleep=self.waits.append)
        self.model = OpenAICompatibleModel(
            "m", server.base_url, "k", quirks=quirks, timeout_s=20, max_retries=retries, patience=patience
        )

    def complete(self, tools: tuple[ToolSpec, ...] = ()) -> Completion:
        try:
            return self.model.session(KEY, PolicyHints("What?")).complete(ASK, tools)
        finally:
            self.model.close()

    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body in self.server.received]


def test_a_reply_is_read_by_its_own_type(server: ChatServer) -> None:
    """JSON to a streamed request, a stream to an unstreamed one, and both mislabelled."""
    stream = sse(delta({"content": "hi"}, "stop"))
    for streams, body, kind in (
        (True, HI, "application/json"),
        (True, HI, "text/event-stream"),
        (False, stream, "text/event-stream; charset=utf-8"),
        (False, stream, "application/json"),
    ):
        server.plan.clear()
        server.will(200, body, content_type=kind)
        assert Asked(server, Quirks(stream=streams)).complete().message.content == "hi"


def test_quirks_shape_the_request(server: ChatServer) -> None:
    """Roles, limits, effort, plain tools and fields of the vendor's own; no parallel_tool_calls without tools."""
    server.will(200, HI)
    quirks = Quirks(
        temperature=False, seed=False, strict_tools=False, max_tokens_parameter="max_completion_tokens",
        max_output_tokens=500, reasoning_effort="high", extra_body={"thinking": {"type": "enabled"}},
        system_role="developer", parallel_tool_calls=False,
    )  # fmt: skip
    asked = Asked(server, quirks)
    asked.complete((TOOL,))
    asked.complete()
    first, second = asked.bodies()
    function = {"name": "add", "description": "Adds.", "parameters": TOOL.parameters}
    assert first == {
        "model": "m", "max_completion_tokens": 500, "reasoning_effort": "high", "thinking": {"type": "enabled"},
        "messages": [{"role": "developer", "content": "Be exact."}, {"role": "user", "content": "What?"}],
        "parallel_tool_calls": False, "tools": [{"type": "function", "function": function}],
    }  # fmt: skip
    assert "parallel_tool_calls" not in second


def test_refused_parameters_are_left_out_or_exchanged_one_by_one(server: ChatServer) -> None:
    """Each is asked with once, then never again; a refusal is no retry and costs no wait."""
    for message in (
        "Unsupported value: 'temperature' does not support 0 with this model.",
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "Unknown parameter: 'tools[0].function.strict'.",
        "stream_options is not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ):
        server.will(400, {"error": {"message": message}})
    server.will(200, HI)
    asked = Asked(server, Quirks(max_tokens_parameter="max_tokens", max_output_tokens=9, stream=True), retries=0)
    asked.complete((TOOL,))
    asked.complete((TOOL,))
    first, *_, last, again = asked.bodies()
    assert last == again and len(asked.bodies()) == 7 and asked.waits == []
    assert last.keys() == {"model", "messages", "tools", "seed", "max_completion_tokens", "stream"}
    assert last["messages"] == [{"role": "user", "content": "Be exact.\n\nWhat?"}]
    assert "strict" not in last["tools"][0]["function"] and first["stream_options"] == {"include_usage": True}
    names = {"temperature", "max_tokens", "strict", "stream_options", "system role"}
    assert asked.model.refused_parameters == names


def test_what_passes_is_asked_again(server: ChatServer) -> None:
    """With the waits that the server asks for, or our own."""
    for status in (408, 409, 429, 500, 503, 529):
        server.plan.clear()
        server.will(status, {"error": {"message": "later"}}, retry_after="7")
        server.will(status, {"error": {"message": "later"}})
        server.will(0, b"")
        server.will(200, HI)
        asked = Asked(server)
        assert asked.complete().message.content == "hi" and asked.waits == [7, 1, 2]


def test_what_stays_is_told_at_once(server: ChatServer) -> None:
    """An error that asking again cannot mend; of a storm that ends in another fault the last one is named."""
    for status in (400, 404, 413, 418, 422):
        server.plan.clear()
        server.received.clear()
        server.will(status, {"error": {"message": "no"}})
        asked = Asked(server)
        with pytest.raises((ModelFault, BadInput)):
            asked.complete()
        assert len(server.received) == 1 and asked.waits == []
    for replies, told, many in (
        ([(429, "slow down"), (500, "boom")], "status 500: boom", 4),
        ([(400, "unsupported: temperature, seed, strict")], "status 400: unsupported: temperature", 4),
    ):
        server.plan.clear()
        server.received.clear()
        for status, message in replies:
            server.will(status, {"error": {"message": message}})
        with pytest.raises(ModelFault, match=told) as caught:
            Asked(server, retries=3).complete((TOOL,))
        assert caught.value.reason == "server" and len(server.received) == many


def test_a_storm_ends_within_its_budget(server: ChatServer) -> None:
    """Waits that are asked for count; what would pass the budget, or a single wait's bound, is not waited."""
    server.will(429, {"error": {"message": "slow down"}}, retry_after="6")
    asked = Asked(server, retries=99)
    with pytest.raises(ModelFault, match="too many requests: slow down") as caught:
        asked.complete()
    assert caught.value.reason == "rate_limit" and asked.waits == [6, 6]
    server.plan.clear()
    server.will(429, {"error": {"message": "tomorrow"}}, retry_after="86400")
    asked = Asked(server)
    with pytest.raises(ModelFault, match=r"tomorrow \(it asks for a wait of 86400 s\)"):
        asked.complete()
    assert asked.waits == []


def test_a_filter_of_the_provider_is_a_refusal(server: ChatServer) -> None:
    """It says something about the answer, and nothing about the endpoint or the key."""
    for status, error in (
        (400, {"message": "The response was filtered", "code": "content_filter"}),
        (400, {"message": "Content Exists Risk"}),
        (403, {"message": "Content violates usage guidelines."}),
    ):
        server.plan.clear()
        server.will(status, {"error": error})
        got = Asked(server).complete()
        assert got.refused and got.message == Message("assistant", "") and got.finish_reason == "content_filter"
        assert not got.usage.reported and got.usage.prompt_tokens > 0


def test_ids_are_unique_over_a_whole_run(server: ChatServer) -> None:
    """A model that calls every call the same is understood all the same."""
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    server.will(200, {"choices": [{"index": 0, "message": {"content": None, "tool_calls": [call, call]}}]})
    asked = Asked(server)
    session = asked.model.session(KEY, PolicyHints("q"))
    ids = [call.id for _ in range(2) for call in session.complete(ASK, [TOOL]).message.tool_calls]
    asked.model.close()
    assert ids == ["c", "call_1_2", "call_2_1", "call_2_2"]
