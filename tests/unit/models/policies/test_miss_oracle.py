"""The miss oracle: one bit of each reply, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.model import Brief, RunKey
from caia_replay.core.task import AnswerKind
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.miss_oracle import PROBES, miss_oracle_policy
from caia_replay.models.policies.random_answer import random_policy

ONE, TWO = "0x" + "1" * 40, "0x" + "2" * 40
MOMENT = "[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"
QUESTION = (
    f"Which did Orchid use in block 12 or 1,700,000 on 2024-06-03 or 2024-06-04: {ONE} or {TWO} ({'0x' + '3' * 64})?"
)
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"properties": {}}}}
    for name in ("balance_query", "block_query", "price_feed", "protocol_metrics", "transaction_query", "url_fetching")
]
MISS = {"error": {"type": "not_recorded"}}


def respond(
    kind: AnswerKind | None, results: Sequence[Any] = (), attempt: int = 1, tools: Sequence[Wire] = TOOLS
) -> Any:
    """What it says after these results: an answer, or its probes as (tool, arguments)."""
    messages: list[Wire] = [{"role": "user", "content": f"{QUESTION}\n\n{MOMENT}"}]
    messages += [{"role": "tool", "content": json.dumps(result)} for result in results]
    key = RunKey("t", "clean", "tools", "react", attempt)
    said = miss_oracle_policy(Brief(QUESTION, kind=kind), key, 1).respond(messages, tools)
    calls = [one["function"] for one in said.get("tool_calls", ())]
    if calls:
        return [(call["name"], json.loads(call["arguments"])) for call in calls]
    return said["content"].removeprefix("FINAL ANSWER: ")


def served_where(kind: AnswerKind | None, wanted: str, attempt: int = 1) -> str:
    """Its answer when only the probes that mention ``wanted`` are served."""
    probes = respond(kind, attempt=attempt)
    results = [{"x": 1} if wanted in json.dumps(arguments) else MISS for _, arguments in probes]
    return str(respond(kind, results, attempt))


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("address", TWO), ("address", ONE), ("hash", "0x" + "3" * 64), ("date", "2024-06-04"), ("number", "12")],
)
def test_what_alone_is_covered_is_the_answer(kind: AnswerKind, wanted: str) -> None:
    """Among what stands in the question and what is drawn."""
    assert served_where(kind, wanted) == wanted


def test_yes_and_no_are_coverage_too() -> None:
    """Yes where most of what is named is covered."""
    probes = respond("boolean")
    assert {name for name, _ in probes} >= {"balance_query", "transaction_query"}
    assert respond("boolean", [{}] * len(probes)) == "yes" and respond("boolean", [MISS] * len(probes)) == "no"


VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4)
SERVED = st.dictionaries(st.text(max_size=5).filter("error".__ne__), VALUES, max_size=3)


@settings(max_examples=30)
@given(
    st.sampled_from(get_args(AnswerKind)), st.lists(st.tuples(st.booleans(), SERVED, SERVED), min_size=12, max_size=12)
)
def test_it_is_blind_to_content(kind: AnswerKind, replies: list[tuple[bool, Any, Any]]) -> None:
    """Equal bits give equal answers, whatever else replies and misses hold."""
    probes = respond(kind)
    if isinstance(probes, list):
        one, two = (
            [reply[at] if reply[0] else {"error": reply[at]} for reply in replies[: len(probes)]] for at in (1, 2)
        )
        assert respond(kind, one) == respond(kind, two)


@pytest.mark.parametrize("kind", [*get_args(AnswerKind), None])
def test_probes_are_few_and_tools_are_not_needed(kind: AnswerKind | None) -> None:
    """At most twelve, in one message; without tools it guesses."""
    probes = respond(kind)
    assert isinstance(probes, str) or 0 < len(probes) <= PROBES
    assert isinstance(respond(kind, tools=[]), str)


def test_without_coverage_it_is_a_guess() -> None:
    """Ties are drawn: over attempts the answers spread as the candidates do."""
    guesses = Counter(respond("date", [MISS] * 12, attempt) for attempt in range(60))
    assert len(guesses) > 30 and random_policy is not miss_oracle_policy
    assert {respond("boolean", attempt=n, tools=[]) for n in range(30)} == {"yes", "no", "false premise"}
