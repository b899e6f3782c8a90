"""The analyst of CAIA's habits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from caia_replay.core.model import Brief, RunKey
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.caia_mix import CALLS, NAMED_TOOLS, SHARES, caia_mix_policy, kinds_of_run
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.wire import tool_to_wire
from caia_replay.tools.catalog import CATALOG

TOOLS = [tool_to_wire(tool.spec) for tool in CATALOG.values()]
BRIEF = Brief("The fees of Orchid?", Recipe("fees", "orchid fees", r"paid (?P<answer>\d+)"))
FOUND = {"results": [{"url": f"https://p{n}.example/", "snippet": f"paid {n}"} for n in range(5)]}


def key(task: str = "t", attempt: int = 1) -> RunKey:
    """A run."""
    return RunKey(task, "clean", "tools", "react", attempt)


def play(run: RunKey, tools: Sequence[Wire] = TOOLS, brief: Brief = BRIEF) -> tuple[list[str], list[int], str]:
    """The tools it calls, how many in each message, and its answer; searches find FOUND, pages say paid 90."""
    messages: list[Wire] = []
    called: list[str] = []
    each: list[int] = []
    while True:
        said = caia_mix_policy(brief, run, 1).respond(messages, tools)
        calls = said.get("tool_calls")
        if not calls:
            return called, each, said["content"].splitlines()[-1]
        messages.append(said)
        each.append(len(calls))
        for call in calls:
            called.append(call["function"]["name"])
            result = {"web_search": FOUND, "url_fetching": {"text": "paid 90"}}.get(called[-1], {"error": {}})
            messages.append({"role": "tool", "content": json.dumps(result), "tool_call_id": call["id"]})


def test_the_published_shares_hold_over_many_runs() -> None:
    """Within one percentage point: over 178 tasks and 5 attempts, and over 40 tasks and 5."""
    for tasks in (178, 40):
        kinds = Counter(kind for task in range(tasks) for n in range(1, 6) for kind in kinds_of_run(1, f"t{task}", n))
        assert sum(SHARES.values()) == 1 and kinds.total() == tasks * 5 * CALLS
        assert all(abs(kinds[kind] / kinds.total() - share) < 0.01 for kind, share in SHARES.items())


def test_every_run_makes_its_calls_in_two_messages() -> None:
    """Searches first, then the rest: what is called is what the sequence says."""
    kind_of = {tool: kind for kind, tool in NAMED_TOOLS.items()}
    specialised = set()
    for attempt in range(1, 80):
        called, each, _ = play(key(attempt=attempt))
        assert len(called) == CALLS and len(each) == 2 and called[: each[0]] == ["web_search"] * each[0]
        assert Counter(kind_of.get(tool, "specialised") for tool in called) == Counter(kinds_of_run(1, "t", attempt))
        specialised |= set(called) - kind_of.keys()
    assert specialised == CATALOG.keys() - kind_of.keys()


def test_it_believes_the_first_rank() -> None:
    """Its snippet, or its page where the run fetched it."""
    answers = set()
    for attempt in range(1, 30):
        called, _, answer = play(key(attempt=attempt))
        assert answer == ("FINAL ANSWER: 90" if "url_fetching" in called else "FINAL ANSWER: 0")
        answers.add(answer)
    assert len(answers) == 2


def test_a_run_is_drawn_from_seed_task_and_attempt() -> None:
    """The same again for the same, and the sequence goes on from attempt to attempt."""
    assert play(key()) == play(RunKey("t", "attacked", "tools", "caia", 1))
    assert len({tuple(kinds_of_run(*run)) for run in ((1, "t", 1), (1, "t", 2), (2, "t", 1), (1, "u", 1))}) > 2


@pytest.mark.parametrize("names", [[], ["web_search"], ["url_fetching"], ["block_query", "code_execution"]])
def test_what_is_not_offered_is_left_out(names: list[str]) -> None:
    """It calls what there is, and answers in the end."""
    offered: list[Any] = [tool for tool in TOOLS if tool["function"]["name"] in names]
    for attempt in range(1, 20):
        called, _, answer = play(key(attempt=attempt), offered)
        assert set(called) <= set(names) and answer.startswith("FINAL ANSWER: ")


def test_without_a_recipe_it_still_calls() -> None:
    """And knows nothing."""
    called, _, answer = play(key(), brief=Brief("The fees of Orchid?"))
    assert (len(called), answer) == (CALLS, "FINAL ANSWER: unknown")
