"""Agents that gather first and answer in a conversation of its own: CAIA's, and plan and execute."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.caia import MOST_ROUNDS, CaiaAgent
from caia_replay.agents.plan_execute import MOST_STEPS, PlanExecuteAgent, plan_steps
from caia_replay.core.agent import Budget
from caia_replay.core.model import Completion, Usage
from caia_replay.core.trajectory import ModelTurn, Trajectory
from tests.unit.agents.conftest import QUESTION, Script, Sums, adds, calls, cut_off, says

DECIDED = '{"decision": "tool_call", "reasoning": "so"}'
ENOUGH = says('{"decision": "synthesis", "reasoning": "so"}')
SYNTHESIS = says('```json\n{"reasoning": "1 + 2", "answer": "3"}\n```')


def caia(script: Script, toolset: Sums | None = None, budget: Budget | None = None) -> Trajectory:
    return CaiaAgent().run(QUESTION, script, toolset or Sums(), budget or Budget())


def test_it_decides_gathers_and_answers_from_the_evidence() -> None:
    """The synthesis is asked afresh, without tools: the question and one line a call, in order."""
    script = Script(calls(("add", '{"numbers":[1,2]}'), ("add", "{"), text=DECIDED), ENOUGH, SYNTHESIS)
    run = caia(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [bool(tools) for tools in script.offered] == [True, True, False]
    assert script.seen[0][1].content == QUESTION and "at most 5" in script.seen[0][0].content
    system, user = script.seen[2]
    lines = user.content.split("\n")
    assert lines[:5] == [*QUESTION.split("\n"), "", "Evidence (one JSON object per line):"] and system.role == "system"
    assert lines[-2:] == ["", "Answer now."]
    added = ("c0", '{"numbers":[1,2]}', {"of": [1, 2], "sum": 3}), ("c1", "{", {"error": {"code": "bad_arguments"}})
    assert [json.loads(line) for line in lines[5:-2]] == [
        {"call_id": call, "tool_input": sent, "tool_name": "add", "tool_output": output} for call, sent, output in added
    ]
    assert [step.fresh for step in run.steps if isinstance(step, ModelTurn)] == [(), (), (system, user)]


def test_a_model_that_never_has_enough_gets_five_rounds() -> None:
    """Then it must answer; a call in the synthesis is neither executed nor an answer."""
    toolset = Sums()
    run = caia(Script(*[adds(1)] * MOST_ROUNDS, SYNTHESIS), toolset)
    assert (run.answer, len(toolset.executed), len(run.steps)) == ("3", 5, 11)
    run = caia(Script(adds(1)), toolset := Sums())
    assert (run.stop, len(toolset.executed)) == ("no_answer", 5)


def test_the_last_turn_is_the_synthesis() -> None:
    """Whatever the turn budget, and the prompt tells how many rounds there are."""
    for turns, rounds in ((1, 0), (2, 1), (5, 4), (6, 5), (20, 5)):
        script, toolset = Script(adds(1)), Sums()
        run = caia(script, toolset, Budget(turns))
        assert len(toolset.executed) == rounds and script.seen[-1][1].content.endswith("\n\nAnswer now.")
        assert run.stop == ("turn_budget" if turns <= MOST_ROUNDS + 1 else "no_answer")
        assert not rounds or f"at most {rounds}." in script.seen[0][0].content


def test_calls_that_are_spent_lead_to_the_synthesis() -> None:
    """It is the one last turn; what was not executed is evidence of that. Tokens that are spent leave none."""
    script = Script(calls(*[("add", '{"numbers":[1]}')] * 2), SYNTHESIS)
    assert caia(script, budget=Budget(calls=1)).answer == "3"
    assert len(script.seen) == 2 and '"type":"call_budget"' in script.seen[1][1].content
    assert caia(Script(adds(1), says("hm")), budget=Budget(calls=1)).stop == "call_budget"
    usage = Completion(adds(1), Usage(9, 1), "stop")
    assert caia(Script(usage, usage, SYNTHESIS), budget=Budget(tokens=15)).stop == "token_budget"


def test_a_message_without_calls_ends_the_rounds_and_is_no_answer() -> None:
    """Whatever its decision says, cut off or not: the answer is the synthesis' alone, and that is asked once."""
    decided = says(""), says(DECIDED), says("FINAL SYNTHESIS: 4"), says('{"decision":"synthesis","answer":"4"}')
    for decision in (*decided, cut_off('{"decision')):
        script = Script(decision, SYNTHESIS)
        assert (caia(script).answer, len(script.seen)) == ("3", 2)
    for line, stop, detail in (
        (says("FINAL SYNTHESIS: 3"), "no_answer", "no answer field"),
        (says('{"reasoning": "3"}'), "no_answer", "no answer field"),
        (says(""), "no_answer", "empty"),
        (cut_off('{"reasoning": "3", "ans'), "truncated", "cut off"),
        (calls(("add", "{}"), text='{"answer": "3"}'), "no_answer", "no answer field"),
    ):
        script = Script(ENOUGH, line)
        run = caia(script)
        assert (run.stop, run.answer, len(script.seen)) == (stop, None, 2) and detail in run.detail


PLAN = says("1. Add 1 and 2.\n2. Say it.")
ANSWER = says("So it is.\nFINAL ANSWER: 3")


def play(script: Script, toolset: Sums | None = None, budget: Budget | None = None) -> Trajectory:
    return PlanExecuteAgent().run(QUESTION, script, toolset or Sums(), budget or Budget())


def test_it_plans_executes_and_answers() -> None:
    """Four conversations, each with the question and what it needs; tools are offered in steps alone."""
    script = Script(PLAN, adds(1, 2), says("It is\n3."), says("Said."), ANSWER)
    run = play(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [bool(tools) for tools in script.offered] == [False, True, True, True, False]
    users = [seen[1].content.removeprefix(f"{QUESTION}\n\n").split("\n") for seen in script.seen]
    assert users[0][0] == "Tools (one JSON object per line):" and users[0][2:] == ["", "Make the plan now."]
    assert json.loads(users[0][1]) == {"description": "Adds $numbers.", "name": "add"}
    assert users[1] == ["Results so far (one JSON object per line):", "", "", "Do this step now:", "Add 1 and 2."]
    first = '{"result":"It is\\n3.","step":"Add 1 and 2."}'
    assert users[3] == ["Results so far (one JSON object per line):", first, "", "Do this step now:", "Say it."]
    second = '{"result":"Said.","step":"Say it."}'
    assert users[4] == ["Results (one JSON object per line):", first, second, "", "Answer now."]
    fresh = [step.fresh for step in run.steps if isinstance(step, ModelTurn)]
    assert fresh == [(), script.seen[1], (), script.seen[3], script.seen[4]]


def test_only_the_synthesiser_answers() -> None:
    """A plan or a step's result that reads like an answer is none; neither is a synthesiser's call."""
    script = Script(says("FINAL ANSWER: 4"), says("FINAL ANSWER: 5"), ANSWER)
    assert play(script).answer == "3"
    run = play(Script(PLAN, says("3"), says("3"), calls(("add", "{}"), text="FINAL ANSWER: 3")))
    assert (run.stop, run.calls()) == ("no_answer", ())


def test_the_synthesiser_is_reminded_once() -> None:
    """In its own conversation, where a turn is left."""
    script = Script(PLAN, says("3"), says("3"), says("It is 3."), ANSWER)
    assert play(script).answer == "3" and "FINAL ANSWER" in script.seen[-1][-1].content
    run = play(Script(PLAN, says("3")))
    assert (run.stop, len(run.steps)) == ("no_answer", 5)
    run = play(Script(PLAN, says("3"), says("3"), says("It is 3.")), budget=Budget(4))
    assert (run.stop, len(run.steps)) == ("no_answer", 4)


def test_the_last_turn_is_kept_for_the_synthesiser() -> None:
    """A step that never ends hands over what its tools said."""
    for turns in range(1, 8):
        script, toolset = Script(*[PLAN] * (turns > 1), *[adds(1)] * (turns - 2), ANSWER), Sums()
        run = play(script, toolset, Budget(turns))
        assert (run.answer, len(script.seen), len(toolset.executed)) == ("3", turns, max(turns - 2, 0))
        lines = script.seen[-1][1].content.split("\n")
        assert lines[-1] == "Answer now."
        if turns > 2:
            result = json.loads(lines[-3])
            assert result == {"result": "\n".join(['{"of":[1],"sum":1}'] * (turns - 2)), "step": "Add 1 and 2."}


def test_a_plan_or_result_that_is_empty_or_cut_off_goes_on() -> None:
    """No answer was due in it: an empty plan has no step, an empty result is one."""
    script = Script(says(" "), ANSWER)
    assert play(script).answer == "3" and len(script.seen) == 2
    script = Script(cut_off("1. Add 1 and"), says(""), ANSWER)
    assert play(script).answer == "3" and '{"result":"","step":"Add 1 and"}' in script.seen[-1][1].content


def test_plans_in_their_spellings() -> None:
    """Numbered lines, six at most; without one the whole reply is the step; long runs of marks are no work."""
    for plan, steps in (
        ("1. a\n2. b", ["a", "b"]), ("Plan:\n\n  1) a\n  2) b\nDone.", ["a", "b"]),
        ("**1.** a\n- 2. **b**", ["a", "b**"]), ("1、查询价格\n2．比较", ["查询价格", "比较"]),
        ("Step 1: a\nstep 2: b", ["a", "b"]), ("Just  look\nit up", ["Just look it up"]),
        ("1.5 ETH is a lot\n2024. b", ["1.5 ETH is a lot 2024. b"]), ("10:30 UTC", ["10:30 UTC"]),
        ("1.\n2. b", ["b"]), ("1.", []), ("", []), (" \n", []),
        ("\n".join(f"{n}. do {n}" for n in range(1, 100)), [f"do {n}" for n in range(1, 7)]),
        ("*" * 500_000 + "\n" + "1" + " " * 500_000, ["*" * 500_000 + " 1"]),
    ):  # fmt: skip
        assert plan_steps(plan) == steps


@given(st.lists(st.text(), max_size=9))
def test_any_plan_is_a_few_single_lines(lines: list[str]) -> None:
    """Whatever is written: at most six steps, none empty, none with a line break."""
    steps = plan_steps("\n".join(lines)) + plan_steps("\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1)))
    assert len(steps) <= 2 * MOST_STEPS and all(step and step.splitlines() == [step] for step in steps)
