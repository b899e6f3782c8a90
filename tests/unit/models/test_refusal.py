"""Errors as vendors word them, and the optional parameters they refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.endpoint_error import EndpointError
from caia_replay.models.parameter import Quirks, optional_fields, refused_name, strict_tools, system_role

OVERFLOWS = {
    "OpenAI code": (400, {"error": {"message": "Too long.", "code": "context_length_exceeded", "param": "messages"}}),
    "OpenAI": (400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000."),
    "OpenAI newer": (400, "Your input exceeds the context window of this model. Please adjust your input."),
    "Anthropic": (400, "prompt is too long: 208310 tokens > 200000 maximum"),
    "Anthropic sum": (400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
    "Anthropic bytes": (413, {"type": "error", "error": {"type": "request_too_large", "message": "Too big"}}),
    "Gemini": (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    "vLLM": (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    "xAI": (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    "Together": (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000"),
    "TGI": (422, "`inputs` must have less than 8192 tokens. Given: 9000"),
    "Mistral": (400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    "llama.cpp": (400, "the request exceeds the available context size, try increasing it"),
    "SGLang": (400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
    "Moonshot": (400, "Invalid request: Your request exceeded model token limit: 8192"),
    "DashScope": (400, "Range of input length should be [1, 30720]"),
    "Groq": (400, "Please reduce the length of the messages or completion."),
    "a proxy": (413, "<html>Request Entity Too Large</html>"),
}


def error(status: int, body: Any) -> EndpointError:
    """An error from what a server sent: JSON, or a message in OpenAI's shape."""
    return EndpointError(status, json.dumps({"error": {"message": body}} if isinstance(body, str) else body).encode())


@pytest.mark.parametrize("vendor", OVERFLOWS)
def test_a_conversation_too_long_is_known_in_every_vendors_words(vendor: str) -> None:
    """It is no fault of the server's, and asking again would not help."""
    fault = error(*OVERFLOWS[vendor])
    assert fault.verdict == "context_overflow" and not fault.passes


VERDICTS = [
    (400, "Unsupported parameter: 'temperature'", "server", False),
    (400, "messages: at least one message is required", "server", False),
    (401, "bad key", "key", False), (403, "no access", "key", False),
    (400, "API key not valid. Please pass a valid API key.", "key", False),
    (400, "Incorrect API key provided: xa***1.", "key", False),
    (402, "Insufficient Balance", "credit", False),
    (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, "credit", False),
    (429, "slow down", "rate_limit", True),
    (404, "no such model", "model", False), (400, "Model Not Exist", "model", False),
    (400, {"error": {"message": "x", "code": "model_not_found"}}, "model", False),
    (400, {"error": {"message": "filtered", "code": "content_filter"}}, "filter", False),
    (400, "Content Exists Risk", "filter", False),
    (403, "Content violates usage guidelines. Failed check: X", "filter", False),
    (408, "slow", "server", True), (409, "locked", "server", True), (500, "boom", "server", True),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server", True),
    (501, "never", "server", True), (418, "teapot", "server", False), (302, "elsewhere", "server", False),
]  # fmt: skip


def test_what_an_error_comes_down_to() -> None:
    """Status first, then the words that only some vendors use."""
    for status, body, verdict, passes in VERDICTS:
        fault = error(status, body)
        assert (fault.verdict, fault.passes) == (verdict, passes), (status, body)


def test_an_error_with_status_200_has_the_status_it_means() -> None:
    """By its code, by its words, or as a fault of the server."""
    for found, status in (
        ({"error": {"message": "x", "code": 502}}, 502),
        ({"error": {"message": "x", "code": "429"}}, 429),
        ({"error": {"message": "x", "type": "rate_limit_exceeded"}}, 429),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, 400),
        ({"error": {"message": "maximum context length is 5"}}, 400),
        ({"error": {"message": "x", "code": 7}}, 500),
        ({"error": "x"}, 500),
    ):
        assert EndpointError(200, found).status == status


def test_every_shape_is_read() -> None:
    """Wrapped, flat, as a list, as a text or no JSON at all; of a validator's list the first detail blames a field."""
    located = b'{"error": {"message": {"detail": [{"loc": ["body", "seed"]}]}}}'
    for body, said, param in (
        (b'{"error": {"message": "Bad seed", "param": "seed"}}', "Bad seed", "seed"),
        (b'[{"error": {"code": 400, "message": "Bad seed", "status": "INVALID_ARGUMENT"}}]', "Bad seed", ""),
        (b'{"object": "error", "message": "Bad seed", "param": null, "code": 400}', "Bad seed", ""),
        *((text, "Bad seed", "") for text in (b'{"error": "Bad seed"}', b'{"detail": "Bad seed"}', b'"Bad seed"')),
        (b"Bad\nseed", "Bad seed", ""),
        (b"", "it said nothing", ""),
        (b'{"error": {}}', '{"error": {}}', ""),
        (located, '{"detail": [{"loc": ["body", "seed"]}]}', "body.seed"),
    ):
        fault = EndpointError(400, body)
        assert (str(fault), fault.param) == (said, param)
    detail = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
    assert error(422, {"detail": [detail]}).param == "body.seed"


@given(st.binary(max_size=60) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["error", "message", "detail", "loc", "param", "code", "type", "status"]), inner)
).map(lambda value: json.dumps(value).encode()), st.integers(200, 599))  # fmt: skip
def test_no_error_breaks_the_reader(body: bytes, status: int) -> None:
    """Whatever it is, it has a status, words and a verdict, on one line."""
    fault = EndpointError(status, body)
    assert fault.verdict and fault.status >= 200 and "\n" not in str(fault) and isinstance(fault.param, str)


ALL = Quirks(
    max_tokens_parameter="max_tokens", max_output_tokens=1_000, reasoning_effort="high", extra_body={"top_k": 1},
    system_role="developer", parallel_tool_calls=True, stream=True,
)  # fmt: skip
NONE: frozenset[str] = frozenset()


def refused(message: str, param: str | None = None, quirks: Quirks = ALL, *, status: int = 400) -> str | None:
    body = json.dumps({"error": {"message": message, "param": param}}).encode()
    return refused_name(EndpointError(status, body), quirks, NONE, tools=True)


def test_quirks_fill_the_request() -> None:
    """Everything that is set, under the name the server knows it by; unset, repeatable answers and nothing else."""
    assert optional_fields(ALL, 3, NONE) == {
        "temperature": 0, "seed": 3, "max_tokens": 1_000, "reasoning_effort": "high", "parallel_tool_calls": True,
        "stream": True, "stream_options": {"include_usage": True}, "top_k": 1,
    }  # fmt: skip
    assert optional_fields(Quirks(), 3, NONE) == {"temperature": 0, "seed": 3}
    assert optional_fields(Quirks(temperature=False, seed=False), 3, NONE) == {}
    assert optional_fields(Quirks(extra_body={"temperature": 1}), 3, NONE)["temperature"] == 1
    assert optional_fields(Quirks(max_tokens_parameter="max_tokens"), 3, NONE).keys() == {"temperature", "seed"}
    limits = [
        optional_fields(quirks, 3, NONE, most).get("max_tokens") for quirks in (ALL, Quirks()) for most in (7, 9_999)
    ]
    assert limits == [7, 1_000, 7, 9_999]
    assert optional_fields(Quirks(), 3, {"max_tokens"}, 7)["max_completion_tokens"] == 7
    assert Quirks().system_role == "system" and Quirks().strict_tools
    assert Quirks().extra_body is not Quirks().extra_body


def test_what_is_refused_is_left_out_or_exchanged() -> None:
    """A limit has two names and instructions three roles; without a stream there are no options of one."""
    fields = optional_fields(ALL, 3, {"max_tokens", "seed", "top_k", "stream"})
    assert fields["max_completion_tokens"] == 1_000
    assert not {"max_tokens", "seed", "top_k", "stream", "stream_options"} & fields.keys()
    limits = {"max_tokens", "max_completion_tokens"}
    assert not limits & optional_fields(ALL, 3, limits).keys()
    gone = (NONE, {"developer role"}, {"developer role", "system role"})
    assert [system_role(ALL, names) for names in gone] == ["developer", "system", "user"]
    assert strict_tools(ALL, NONE) and not strict_tools(ALL, {"strict"})


REFUSALS = [
    ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", "temperature"),
    ("`temperature` is deprecated for this model.", None, "temperature"),
    ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
     "max_tokens", "max_tokens"),
    ("Unknown parameter: 'tools[0].function.strict'", "tools[0].function.strict", "strict"),
    ("tools.0.custom.strict: Extra inputs are not permitted", None, "strict"),
    ("Invalid schema for function 'f'", "tools[3].function.parameters", "strict"),
    ("Extra inputs are not permitted", "body.seed", "seed"),
    ("property 'seed' is unsupported", None, "seed"),
    ("Unrecognized request argument supplied: stream_options", None, "stream_options"),
    ("This model does not support streaming", None, "stream"),
    ("Invalid JSON payload received. Unknown name \"seed\": Cannot find field.", None, "seed"),
    ("unknown field parallel_tool_calls", None, "parallel_tool_calls"),
    ("reasoning.effort is not supported", "reasoning.effort", "reasoning_effort"),
    ("top_k is not allowed", None, "top_k"),
    ("Unsupported value: 'messages[0].role' does not support 'developer' with this model.", "messages[0].role",
     "developer role"),
    ("messages[0].role: unknown variant `developer`, expected one of `system`, `user`", None, "developer role"),
    ("Developer role is not supported", None, "developer role"),
    ("messages must not be empty", "messages", None), ("The model must be given", "model", None),
    ("your seed phrase is fine", None, None), ("Unsupported parameter: 'logprobs'", "logprobs", None),
    ("unsupported: seedling, upstream, constrict", None, None),
]  # fmt: skip


def test_a_refusal_is_known_by_param_or_in_words() -> None:
    """In the vendors' forms; what was not sent, and what is no refusal or no bad request, names nothing."""
    for message, param, name in REFUSALS:
        assert refused(message, param) == name, message
    assert refused("seed unsupported", "seed", status=422) == "seed"
    assert [refused("seed unsupported", "seed", status=status) for status in (401, 413, 429, 500)] == [None] * 4
    fault = EndpointError(400, b'{"error": {"message": "unsupported: strict"}}')
    assert [refused_name(fault, ALL, NONE, tools=tools) for tools in (True, False)] == ["strict", None]


@given(st.lists(st.text(max_size=20) | st.sampled_from(["seed", "temperature", "strict", "'system' role", "stream"])))
def test_nothing_is_refused_twice(words: list[str]) -> None:
    """However a server goes on refusing, it soon has nothing left to refuse."""
    fault = EndpointError(400, json.dumps({"error": {"message": "unsupported: " + " ".join(words)}}).encode())
    gone: set[str] = set()
    for _ in range(15):
        name = refused_name(fault, ALL, gone, tools=True)
        if name is None:
            break
        assert name not in gone
        gone.add(name)
    else:
        raise AssertionError(f"still refusing after {gone}")
