"""The oracle's script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.model import Brief
from caia_replay.errors import BadInput
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.store.plain import build

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"properties": {"x": {}, "y": {}}}}}
    for name in ("a", "b")
]
GOLD = GoldChain((GoldStep("a", {"x": "1"}), GoldStep("b", {"x": "= $1.v * 2", "y": "$1.names"})), "$2.total / 4")


def respond(*results: Any, tools: list[dict[str, Any]] = TOOLS) -> dict[str, Any]:
    """What the oracle says after these tool results."""
    messages = [{"role": "tool", "content": json.dumps(result)} for result in results]
    return OraclePolicy(Brief("q", gold=GOLD)).respond(messages, tools)


def arguments(message: dict[str, Any]) -> Any:
    """The one call's arguments."""
    (call,) = message["tool_calls"]
    return json.loads(call["function"]["arguments"])


def test_it_follows_the_gold_steps_with_its_own_results() -> None:
    """References resolve against what the tools said in this run."""
    assert arguments(respond()) == {"x": "1", "y": None}
    assert arguments(respond({"v": 21, "names": ["n"]})) == {"x": 42, "y": ["n"]}
    assert respond({"v": 21, "names": []}, {"total": 10})["content"] == "FINAL ANSWER: 2.5"


def test_arguments_may_be_lists_read_from_a_file() -> None:
    """References and expressions in frozen lists become plain ones; a parameter left out is null."""
    step = build(GoldStep, {"tool": "b", "arguments": {"x": ["$1.to", "= $1.v * 1000000", ["0xab"]]}}, "task.toml")
    told = {"to": "0xcd", "v": 10**30}
    messages = [{"role": "tool", "content": json.dumps(told)}]
    gold = GoldChain((GoldStep("a", {}), step), "1")
    said = OraclePolicy(Brief("q", gold=gold)).respond(messages, TOOLS)
    assert arguments(said) == {"x": ["0xcd", 10**36, ["0xab"]], "y": None}


def test_a_tool_error_ends_it_without_an_answer() -> None:
    """It never guesses past a miss."""
    for results in (({"error": {"code": "miss"}},), ({"v": 1, "names": []}, {"error": {}})):
        message = respond(*results)
        assert "FINAL ANSWER" not in message["content"] and "tool_calls" not in message


def test_results_that_do_not_fit_end_it_without_an_answer() -> None:
    """A missing field is a gold fault, said and not papered over."""
    message = respond({"w": 1})
    assert "does not fit" in message["content"] and "FINAL ANSWER" not in message["content"]


def test_without_its_tool_it_has_no_answer() -> None:
    """In the no-tools condition the oracle knows nothing."""
    assert "not offered" in respond(tools=[])["content"]


def test_it_needs_gold_steps() -> None:
    """A runner that forgot them is told."""
    with pytest.raises(BadInput, match="gold steps"):
        OraclePolicy(Brief("q"))
