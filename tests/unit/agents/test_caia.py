"""CAIA's scaffold: rounds of decisions, then a synthesis from the evidence."""

from __future__ import annotations

import json

import pytest

from caia_replay.agents.caia import MOST_ROUNDS, CaiaAgent
from caia_replay.core.agent import Budget
from caia_replay.core.model import Completion, Usage
from caia_replay.core.trajectory import ModelTurn, Trajectory
from tests.unit.agents.conftest import QUESTION, NoTools, Script, Sums, adds, calls, cut_off, says

DECIDED = '{"decision": "tool_call", "reasoning": "so"}'
ENOUGH = says('{"decision": "synthesis", "reasoning": "so"}')
ANSWER = says('```json\n{"reasoning": "1 + 2", "answer": "3"}\n```')


def play(script: Script, toolset: Sums | None = None, budget: Budget | None = None) -> Trajectory:
    """One run."""
    return CaiaAgent().run(QUESTION, script, toolset or Sums(), budget or Budget())


def test_it_decides_gathers_and_answers_from_the_evidence() -> None:
    """The synthesis is asked afresh, without tools: the question and one line a call, in order."""
    both = calls(("add", '{"numbers":[1,2]}'), ("add", "{"), text=DECIDED)
    script = Script(both, ENOUGH, ANSWER)
    run = play(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [bool(tools) for tools in script.offered] == [True, True, False]
    assert script.seen[0][1].content == QUESTION and "at most 5" in script.seen[0][0].content
    system, user = script.seen[2]
    lines = user.content.split("\n")
    assert lines[:5] == [*QUESTION.split("\n"), "", "Evidence (one JSON object per line):"] and system.role == "system"
    assert lines[-2:] == ["", "Answer now."]
    assert [json.loads(line) for line in lines[5:-2]] == [
        {
            "call_id": "c0",
            "tool_input": '{"numbers":[1,2]}',
            "tool_name": "add",
            "tool_output": {"of": [1, 2], "sum": 3},
        },
        {"call_id": "c1", "tool_input": "{", "tool_name": "add", "tool_output": {"error": {"code": "bad_arguments"}}},
    ]
    assert [step.fresh for step in run.steps if isinstance(step, ModelTurn)] == [(), (), (system, user)]


def test_a_model_that_never_has_enough_gets_five_rounds() -> None:
    """Then it must answer; a call in the synthesis is neither executed nor an answer."""
    toolset = Sums()
    run = play(Script(*[adds(1)] * MOST_ROUNDS, ANSWER), toolset)
    assert (run.answer, len(toolset.executed), len(run.steps)) == ("3", 5, 11)
    run = play(Script(adds(1)), toolset := Sums())
    assert (run.stop, len(toolset.executed)) == ("no_answer", 5)


@pytest.mark.parametrize(("turns", "rounds"), [(1, 0), (2, 1), (5, 4), (6, 5), (20, 5)])
def test_the_last_turn_is_the_synthesis(turns: int, rounds: int) -> None:
    """Whatever the turn budget, and the prompt tells how many rounds there are."""
    script, toolset = Script(adds(1)), Sums()
    run = play(script, toolset, Budget(turns))
    assert len(toolset.executed) == rounds and script.seen[-1][1].content.endswith("\n\nAnswer now.")
    assert run.stop == ("turn_budget" if turns <= MOST_ROUNDS + 1 else "no_answer")
    if rounds:
        assert f"at most {rounds}." in script.seen[0][0].content


def test_without_tools_the_synthesis_is_all() -> None:
    """One call, which is the trajectory's prompt, with no evidence."""
    script = Script(ANSWER)
    run = play(script, NoTools())
    assert (run.answer, len(script.seen)) == ("3", 1)
    assert run.prompt == script.seen[0] and run.prompt[1].content.endswith("per line):\n\n\nAnswer now.")


def test_calls_that_are_spent_lead_to_the_synthesis() -> None:
    """It is the one last turn; what was not executed is evidence of that."""
    script = Script(calls(*[("add", '{"numbers":[1]}')] * 2), ANSWER)
    assert play(script, budget=Budget(calls=1)).answer == "3"
    assert len(script.seen) == 2 and '"type":"call_budget"' in script.seen[1][1].content
    assert play(Script(adds(1), says("hm")), budget=Budget(calls=1)).stop == "call_budget"


@pytest.mark.parametrize("decision", ["", DECIDED, "FINAL ANSWER: 4", '{"decision":"synthesis","answer":"4"}'])
def test_a_message_without_calls_ends_the_rounds_and_is_no_answer(decision: str) -> None:
    """Whatever its decision says: the answer is the synthesis' alone."""
    script = Script(says(decision), ANSWER)
    run = play(script)
    assert (run.answer, len(script.seen)) == ("3", 2)


def test_a_decision_that_was_cut_off_still_leads_to_the_synthesis() -> None:
    """No answer was due in it."""
    assert play(Script(cut_off('{"decision'), ANSWER)).answer == "3"


@pytest.mark.parametrize(
    ("line", "stop", "detail"),
    [
        (says("FINAL ANSWER: 3"), "no_answer", "no answer field"),
        (says('{"reasoning": "3"}'), "no_answer", "no answer field"),
        (says(""), "no_answer", "empty"),
        (cut_off('{"reasoning": "3", "ans'), "truncated", "cut off"),
        (calls(("add", "{}"), text='{"answer": "3"}'), "no_answer", "no answer field"),
    ],
)
def test_a_synthesis_without_an_answer_ends_the_run(line: Completion, stop: str, detail: str) -> None:
    """It is asked once."""
    script = Script(ENOUGH, line)
    run = play(script)
    assert (run.stop, run.answer, len(script.seen)) == (stop, None, 2) and detail in run.detail


def test_tokens_spent_while_gathering_leave_no_synthesis() -> None:
    """A hard stop is one, for the synthesis too."""
    usage = Completion(adds(1), Usage(9, 1), "stop")
    assert play(Script(usage, usage, ANSWER), budget=Budget(tokens=15)).stop == "token_budget"
