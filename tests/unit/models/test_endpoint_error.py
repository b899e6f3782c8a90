"""Errors as vendors word them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.endpoint_error import EndpointError

OVERFLOWS = {
    "OpenAI code": (400, {"error": {"message": "Too long.", "code": "context_length_exceeded", "param": "messages"}}),
    "OpenAI": (400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000."),
    "OpenAI newer": (400, "Your input exceeds the context window of this model. Please adjust your input."),
    "Anthropic": (400, "prompt is too long: 208310 tokens > 200000 maximum"),
    "Anthropic sum": (400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
    "Anthropic bytes": (413, {"type": "error", "error": {"type": "request_too_large", "message": "Too big"}}),
    "Gemini": (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    "vLLM": (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    "DeepSeek": (400, "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"),
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


@pytest.mark.parametrize(
    ("status", "body", "verdict", "passes"),
    [
        (400, "Unsupported parameter: 'temperature'", "server", False),
        (400, "messages: at least one message is required", "server", False),
        (401, "bad key", "key", False),
        (403, "no access", "key", False),
        (400, "API key not valid. Please pass a valid API key.", "key", False),
        (400, "Incorrect API key provided: xa***1.", "key", False),
        (402, "Insufficient Balance", "credit", False),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, "credit", False),
        (429, "slow down", "rate_limit", True),
        (404, "no such model", "model", False),
        (400, "Model Not Exist", "model", False),
        (400, {"error": {"message": "x", "code": "model_not_found"}}, "model", False),
        (400, {"error": {"message": "filtered", "code": "content_filter"}}, "filter", False),
        (400, "Content Exists Risk", "filter", False),
        (403, "Content violates usage guidelines. Failed check: X", "filter", False),
        (408, "slow", "server", True),
        (409, "locked", "server", True),
        (500, "boom", "server", True),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server", True),
        (501, "never", "server", True),
        (418, "teapot", "server", False),
        (302, "elsewhere", "server", False),
    ],
)  # fmt: skip
def test_what_an_error_comes_down_to(status: int, body: Any, verdict: str, passes: bool) -> None:
    """Status first, then the words that only some vendors use."""
    fault = error(status, body)
    assert (fault.verdict, fault.passes) == (verdict, passes)


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ({"error": {"message": "x", "code": 502}}, 502),
        ({"error": {"message": "x", "code": "429"}}, 429),
        ({"error": {"message": "x", "type": "rate_limit_exceeded"}}, 429),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, 400),
        ({"error": {"message": "maximum context length is 5"}}, 400),
        ({"error": {"message": "x", "code": 7}}, 500),
        ({"error": "x"}, 500),
    ],
)
def test_an_error_with_status_200_has_the_status_it_means(found: Any, status: int) -> None:
    """By its code, by its words, or as a fault of the server."""
    assert EndpointError(200, found).status == status


@pytest.mark.parametrize(
    ("body", "said", "param"),
    [
        (b'{"error": {"message": "Bad seed", "param": "seed"}}', "Bad seed", "seed"),
        (b'[{"error": {"code": 400, "message": "Bad seed", "status": "INVALID_ARGUMENT"}}]', "Bad seed", ""),
        (b'{"object": "error", "message": "Bad seed", "param": null, "code": 400}', "Bad seed", ""),
        (b'{"error": "Bad seed"}', "Bad seed", ""),
        (b'{"detail": "Bad seed"}', "Bad seed", ""),
        (b'"Bad seed"', "Bad seed", ""),
        (b"Bad\nseed", "Bad seed", ""),
        (b"", "it said nothing", ""),
        (b'{"error": {}}', '{"error": {}}', ""),
        (b'{"error": {"message": {"detail": [{"loc": ["body", "seed"]}]}}}', '{"detail": [{"loc": ["body", "seed"]}]}',
         "body.seed"),
    ],
)  # fmt: skip
def test_every_shape_is_read(body: bytes, said: str, param: str) -> None:
    """Wrapped, flat, as a list, as a text or no JSON at all."""
    fault = EndpointError(400, body)
    assert (str(fault), fault.param) == (said, param)


def test_a_validators_list_blames_a_field() -> None:
    """The first of its details."""
    body = {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    assert error(422, body).param == "body.seed"


@given(st.binary(max_size=60) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["error", "message", "detail", "loc", "param", "code", "type", "status"]), inner)
).map(lambda value: json.dumps(value).encode()), st.integers(200, 599))  # fmt: skip
def test_no_error_breaks_the_reader(body: bytes, status: int) -> None:
    """Whatever it is, it has a status, words and a verdict, on one line."""
    fault = EndpointError(status, body)
    assert fault.verdict and fault.status >= 200 and "\n" not in str(fault) and isinstance(fault.param, str)
