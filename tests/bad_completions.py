"""Bad ways of a server that keeps to HTTP: replies that are no completions, completions that are no good, errors."""

from __future__ import annotations

import json
import time
from email.utils import formatdate

from tests.bad_exchange import (
    ANSWER,
    URL,
    Exchange,
    Hangup,
    calls,
    completion,
    fetch,
    headers,
    messages,
    pages,
    replies,
    way,
)

replies(
    "model_fault: malformed",
    malformed_json=b'{"choices": [',
    empty_body=b"",
    no_text=b"\xff\xfe\x00",
    null=b"null",
    a_list=[1, 2],
    an_empty_object={},
    deep=b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    a_number_too_long=b'{"choices":[],"created":' + b"9" * 10_000 + b"}",
    no_choices=completion({}) | {"choices": []},
    choices_are_a_text=completion({}) | {"choices": "many"},
    choice_is_null=completion({}) | {"choices": [None]},
    message_is_null=completion({}) | {"choices": [{"index": 0, "message": None}]},
    message_is_a_text=completion({}) | {"choices": [{"index": 0, "message": "hello"}]},
    content_is_a_number=completion({"content": 42}),
    calls_are_a_text=completion({"content": None, "tool_calls": "url_fetching"}),
    call_is_a_number=completion({"content": None, "tool_calls": [7]}),
    ten_thousand_calls=completion({"content": None, "tool_calls": [fetch()] * 10_000}),
)
replies(
    "model_fault: server",
    error_with_status_200={"error": {"message": "overloaded", "type": "server_error", "code": None}},
    error_is_a_text_with_status_200={"error": "no capacity"},
)


pages("model_fault: malformed", html=("200 OK", b"<!doctype html><h1>Welcome</h1>"))
headers("model_fault: malformed", no_content=("204 No Content",))
# Completions that are well-formed and still no good.
calls(
    unknown_tool=[{"id": "a", "type": "function", "function": {"name": "hack_the planet!", "arguments": "{}"}}],
    nameless_tools=[
        {"id": "a", "function": {"name": "", "arguments": "{}"}},
        {"id": "b"},
        {"function": {"name": None}},
    ],
    arguments_are_no_json=list(map(fetch, "abcde", ("url=" + URL, '{"url":', "", "[1]", "NaN"))),
    arguments_are_an_object=[fetch("a", {"url": URL}), fetch("b", 7), fetch("c", None), fetch("d", [URL])],
    duplicate_call_ids=[fetch("call_a"), fetch("same"), fetch("same"), fetch("call_2_3")],
    missing_call_ids=[fetch(None), fetch(""), fetch(7)],  # type: ignore[arg-type]
    two_hundred_calls=[fetch(f"c{n}", json.dumps({"url": f"https://no.example/{n}"})) for n in range(200)],
    lone_surrogates=[
        fetch("\ud800", '{"url": "\udfff"}'),
        {"id": "b", "function": {"name": "\udc00", "arguments": "\ud800"}},
    ],
)
messages("truncated", "length", truncated={"content": "The base fee can change by"})
messages("refused", refusal={"content": None, "refusal": "I cannot help with that."})
messages("refused", "content_filter", content_filter={"content": "FINAL ANSWER: 1"})
messages("turn_budget", "tool_calls", loops={"content": None, "tool_calls": [fetch("call_a")]})
messages("no_answer", empty_completions={"content": ""})


@way("answered")
def the_form_before_tools(x: Exchange) -> None:
    if x.turn < 2:
        x.say({"content": None, "function_call": fetch()["function"]}, "function_call")
    else:
        x.say({"content": ANSWER})


@way("refused")
def prompt_filter(x: Exchange) -> None:
    x.error("400 Bad Request", "The prompt triggered our content management policy.", code="content_filter")


@way("no_answer")
def null_completions(x: Exchange) -> None:
    x.say({"content": None}, usage=None)


@way("answered")
def huge_content(x: Exchange) -> None:
    x.say({"content": "_ " * 2_500_000 + "x" if x.turn < 2 else ANSWER})


@way("answered")
def control_characters(x: Exchange) -> None:
    x.say({"content": "\x00\x1b[2J\u2028\x85 no \r answer" if x.turn < 2 else ANSWER})


@way("answered")
def usage_is_nonsense(x: Exchange) -> None:
    x.say({"content": ANSWER}, usage={"prompt_tokens": -1, "completion_tokens": "many", "total_tokens": 10**40})


# Errors.


@way("context_overflow")
def context_overflow(x: Exchange) -> None:
    x.error("400 Bad Request", "maximum context length is 8192 tokens", code="context_length_exceeded")


pages("context_overflow", payload_too_large=("413 Payload Too Large", b"<html>413</html>"))
pages(
    "model_fault: server",
    storm_of_500=("500 Internal Server Error", b""),
    bad_gateway_page=("502 Bad Gateway", b"<html>" + b"<div>" * 50_000),
)


@way("model_fault: rate_limit")
def storm_of_429(x: Exchange) -> None:
    x.error("429 Too Many Requests", "slow down", "retry-after: 3")


@way("model_fault: rate_limit")
def wait_for_a_day(x: Exchange) -> None:
    x.error("429 Too Many Requests", "come back tomorrow", "retry-after: 86400")


@way("model_fault: rate_limit")
def wait_until_next_year(x: Exchange) -> None:
    now = time.time()
    x.error("429 Too Many Requests", "later", f"date: {formatdate(now)}", f"retry-after: {formatdate(now + 3e7)}")


@way("model_fault: server")
def deep_error(x: Exchange) -> None:
    x.reply(b"[" * 60_000, status="500 Internal Server Error")


@way("answered")
def recovers_from_errors(x: Exchange) -> None:
    if x.tries == 1:
        x.error("503 Service Unavailable", "busy")
    elif x.tries == 2:
        raise Hangup
    else:
        x.say({"content": ANSWER})


@way("answered")
def refuses_parameters(x: Exchange) -> None:
    for name in ("temperature", "seed"):
        if name in x.body:
            return x.error("400 Bad Request", f"Unsupported parameter: '{name}'", param=name)
    if any("strict" in tool["function"] for tool in x.body["tools"]):
        return x.reply({"detail": "Extra inputs are not permitted: strict"}, status="422 Unprocessable Entity")
    return x.say({"content": ANSWER})


@way("model_fault: server")
def refuses_everything(x: Exchange) -> None:
    x.error("400 Bad Request", "Unsupported: temperature seed strict stream messages model system role", param=None)
