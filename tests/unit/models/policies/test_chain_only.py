"""The chain-only analyst's script."""

from __future__ import annotations

import json
from typing import Any

from caia_replay.core.model import Brief
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.models.policies.chain_only import ChainOnlyPolicy

SCHEMA = {"properties": {"block": {"type": "integer"}, "chain": {"type": ["string", "null"]}}}
TOOLS = [{"type": "function", "function": {"name": "block_query", "parameters": SCHEMA}}]
CHAIN = ChainRecipe("block_query", {"block": "{block}"}, r'"gas_used":(?P<answer>\d+)')
RECIPE = Recipe(r"block (?P<block>\d+)", "q", "(?P<answer>x)", CHAIN)


def respond(*results: Any, recipe: Recipe | None = RECIPE, tools: list[dict[str, Any]] = TOOLS) -> dict[str, Any]:
    """What it says after these results."""
    messages = [{"role": "tool", "content": json.dumps(result)} for result in results]
    return ChainOnlyPolicy(Brief("Gas of block 12?", recipe)).respond(messages, tools)


def test_it_asks_the_chain_once_and_reads_the_reply() -> None:
    """One call with its arguments filled, then the pattern over canonical JSON."""
    call = respond()["tool_calls"][0]["function"]
    assert (call["name"], json.loads(call["arguments"])) == ("block_query", {"block": 12, "chain": None})
    assert respond({"number": 12, "gas_used": 21000})["content"] == "FINAL ANSWER: 21000"


def test_what_the_chain_does_not_say_is_unknown() -> None:
    """Errors, other fields, no chain recipe and no tool are unknown, never guessed."""
    said = [respond({"error": {}}), respond({"x": 1}), respond(tools=[]), respond(recipe=None)]
    said.append(respond(recipe=Recipe("block", "q", "(?P<answer>x)")))
    assert {message["content"] for message in said} == {"FINAL ANSWER: unknown"}
