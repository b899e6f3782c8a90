"""The ReAct loop, played by a scripted session against a small real toolset."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.agents.react import ReactAgent
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import ModelTurn, ToolStep, Trajectory
from tests.unit.agents.conftest import QUESTION, NoTools, Script, Sums, calls, says


def play(script: Script, toolset: Sums | None = None, turns: int = 5) -> Trajectory:
    """One run."""
    return ReactAgent().run(QUESTION, script, toolset or Sums(), Budget(turns))


def test_it_acts_looks_and_answers() -> None:
    """A call, its result as canonical JSON, an answer."""
    script = Script(calls(("add", '{"numbers": [1, 2]}')), says("So it is.\nFINAL ANSWER: 3"))
    run = play(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [type(step) for step in run.steps] == [ModelTurn, ToolStep, ModelTurn]
    assert script.seen[1][-1] == Message("tool", '{"of":[1,2],"sum":3}', tool_call_id="c0")
    assert script.seen[1][1].content == QUESTION


def test_parallel_calls_run_in_listed_order() -> None:
    """Each call has its own reply, in order, before the next turn."""
    script = Script(
        calls(("add", '{"numbers":[2]}'), ("add", '{"numbers":[1]}'), ("add", "{")), says("FINAL ANSWER: 1")
    )
    run = play(script)
    assert [step.call_id for step in run.calls()] == ["c0", "c1", "c2"]
    assert [message.tool_call_id for message in script.seen[1][-3:]] == ["c0", "c1", "c2"]


@pytest.mark.parametrize("call", [("add", "not json"), ("add", "[]"), ("nothing", "{}"), ("", ""), ("add", "")])
def test_bad_calls_are_told_to_the_model(call: tuple[str, str]) -> None:
    """A malformed or unknown call is an ERROR reply, and the run goes on."""
    run = play(Script(calls(call), says("FINAL ANSWER: 3")))
    assert run.stop == "answered" and run.calls()[0].reply.served is Served.ERROR


def test_no_answer_line_gets_one_reminder() -> None:
    """The first message without an answer is reminded of the contract; the second ends the run."""
    script = Script(says("It is three."), says("FINAL ANSWER: 3"))
    assert play(script).answer == "3" and "FINAL ANSWER" in script.seen[1][-1].content
    run = play(Script(says("It is three.")))
    assert (run.stop, run.answer, len(run.steps)) == ("no_answer", None, 2)


def test_the_last_turn_is_announced() -> None:
    """On its last turn the model is told so, once; calls made then are not executed."""
    script = Script(calls(("add", '{"numbers":[1]}')))
    run = play(script, turns=3)
    assert (run.stop, run.answer, len(run.calls())) == ("turn_budget", None, 2)
    last = [message for message in script.seen[-1] if "last turn" in message.content]
    assert len(script.seen) == 3 and last == [script.seen[-1][-1]]
    assert not any("last turn" in message.content for message in script.seen[1])


@settings(max_examples=50)
@given(st.integers(1, 6), st.lists(st.sampled_from(["call", "talk", "answer"]), min_size=1, max_size=8))
def test_no_script_outruns_its_budget(turns: int, words: list[str]) -> None:
    """Any conversation ends within its turns, in a stop reason that fits its answer."""
    lines = {"call": calls(("add", '{"numbers":[1]}')), "talk": says("Hm."), "answer": says("FINAL ANSWER: 1")}
    run = play(Script(*(lines[word] for word in words)), turns=turns)
    assert sum(isinstance(step, ModelTurn) for step in run.steps) <= turns
    assert (run.stop == "answered") == (run.answer is not None)
    assert run.stop in ("answered", "no_answer", "turn_budget")


def test_it_works_without_tools() -> None:
    """The no-tools condition is the same loop with nothing to call."""
    assert play(Script(calls(("add", "{}")), says("FINAL ANSWER: 3")), NoTools()).answer == "3"


def test_an_answer_beside_calls_is_not_final() -> None:
    """Only a message without calls submits."""
    both = Message("assistant", "FINAL ANSWER: 1", (ToolCall("c", "add", '{"numbers":[5]}'),))
    assert play(Script(both, says("FINAL ANSWER: 2"))).answer == "2"


def test_one_agent_serves_many_runs() -> None:
    """Nothing is kept between runs: equal runs give equal trajectories."""
    agent = ReactAgent()
    runs = [agent.run("q", Script(says("Hm."), says("FINAL ANSWER: 3")), Sums(), Budget(4)) for _ in range(2)]
    assert runs[0] == runs[1]
