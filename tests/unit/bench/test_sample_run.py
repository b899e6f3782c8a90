"""The run that the harness is measured on."""

from __future__ import annotations

from caia_replay.bench.sample_run import CALLS, ThreeCalls


def test_three_calls_one_a_turn_then_an_answer() -> None:
    """Each result brings the next call, the third the answer."""
    script, messages = ThreeCalls(), [{"role": "user", "content": "?"}]
    for name, arguments in CALLS:
        (call,) = script.respond(messages, [])["tool_calls"]
        assert call["function"]["name"] == name
        assert next(iter(arguments.values())) in call["function"]["arguments"]
        messages.append({"role": "tool", "content": "{}"})
    assert script.respond(messages, [])["content"] == "FINAL ANSWER: 42"
