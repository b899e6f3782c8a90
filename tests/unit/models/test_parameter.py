"""Optional parameters, and how servers refuse them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.endpoint_error import EndpointError
from caia_replay.models.parameter import optional_fields, refused_name, strict_tools, system_role
from caia_replay.models.quirk import Quirks

ALL = Quirks(
    max_tokens_parameter="max_tokens",
    max_output_tokens=1_000,
    reasoning_effort="high",
    extra_body={"top_k": 1},
    system_role="developer",
    parallel_tool_calls=True,
    stream=True,
)
NONE: frozenset[str] = frozenset()


def refused(message: str, param: str | None = None, quirks: Quirks = ALL, *, status: int = 400) -> str | None:
    """What an error names."""
    body = json.dumps({"error": {"message": message, "param": param}}).encode()
    return refused_name(EndpointError(status, body), quirks, NONE, tools=True)


def test_quirks_fill_the_request() -> None:
    """Everything that is set, under the name the server knows it by."""
    assert optional_fields(ALL, 3, NONE) == {
        "temperature": 0, "seed": 3, "max_tokens": 1_000, "reasoning_effort": "high", "parallel_tool_calls": True,
        "stream": True, "stream_options": {"include_usage": True}, "top_k": 1,
    }  # fmt: skip
    assert optional_fields(Quirks(temperature=False, seed=False), 3, NONE) == {}
    assert optional_fields(Quirks(extra_body={"temperature": 1}), 3, NONE)["temperature"] == 1
    assert optional_fields(Quirks(max_tokens_parameter="max_tokens"), 3, NONE).keys() == {"temperature", "seed"}


def test_what_is_refused_is_left_out_or_exchanged() -> None:
    """A limit has two names and instructions three roles; without a stream there are no options of one."""
    fields = optional_fields(ALL, 3, {"max_tokens", "seed", "top_k", "stream"})
    assert fields["max_completion_tokens"] == 1_000
    assert not {"max_tokens", "seed", "top_k", "stream", "stream_options"} & fields.keys()
    assert (
        not {"max_tokens", "max_completion_tokens"}
        & optional_fields(ALL, 3, {"max_tokens", "max_completion_tokens"}).keys()
    )
    assert [system_role(ALL, names) for names in (NONE, {"developer role"}, {"developer role", "system role"})] == [
        "developer", "system", "user",
    ]  # fmt: skip
    assert strict_tools(ALL, NONE) and not strict_tools(ALL, {"strict"})


@pytest.mark.parametrize(
    ("message", "param", "name"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", "temperature"),
        ("temperature does not support 0", None, "temperature"),
        ("`temperature` is deprecated for this model.", None, "temperature"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         "max_tokens", "max_tokens"),
        ("Unsupported parameter: max_tokens. Use max_completion_tokens", None, "max_tokens"),
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
        ("messages must not be empty", "messages", None),
        ("The model must be given", "model", None),
        ("your seed phrase is fine", None, None),
        ("Unsupported parameter: 'logprobs'", "logprobs", None),
        ("unsupported: seedling, upstream, constrict", None, None),
    ],
)  # fmt: skip
def test_a_refusal_is_known_by_param_or_in_words(message: str, param: str | None, name: str | None) -> None:
    """In the vendors' forms; what was not sent, and what is no refusal, names nothing."""
    assert refused(message, param) == name


def test_only_bad_requests_refuse_a_parameter() -> None:
    """An error of the server's own that mentions one is an error of the server's own."""
    assert refused("seed unsupported", "seed", status=422) == "seed"
    assert [refused("seed unsupported", "seed", status=status) for status in (401, 413, 429, 500)] == [None] * 4


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


def test_without_tools_none_are_strict() -> None:
    """A request without tools cannot have been refused for theirs."""
    fault = EndpointError(400, b'{"error": {"message": "unsupported: strict"}}')
    given_tools: Any = [refused_name(fault, ALL, NONE, tools=tools) for tools in (True, False)]
    assert given_tools == ["strict", None]
