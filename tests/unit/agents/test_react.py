"""The ReAct loops, native and in text."""

from __future__ import annotations

from caia_replay.agents.react import ReactAgent
from caia_replay.agents.text_react import TextReactAgent
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import ModelTurn, ToolStep, Trajectory
from tests.unit.agents.conftest import QUESTION, NoTools, Script, Sums, adds, calls, says


def play(script: Script, toolset: Sums | None = None, turns: int = 5) -> Trajectory:
    return ReactAgent().run(QUESTION, script, toolset or Sums(), Budget(turns))


def test_it_acts_looks_and_answers() -> None:
    """A call, its result as canonical JSON, an answer; parallel calls are replied to in order before the next turn."""
    script = Script(calls(("add", '{"numbers": [1, 2]}')), says("So it is.\nFINAL ANSWER: 3"))
    run = play(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [type(step) for step in run.steps] == [ModelTurn, ToolStep, ModelTurn]
    assert script.seen[1][-1] == Message("tool", '{"of":[1,2],"sum":3}', tool_call_id="c0")
    assert script.seen[1][1].content == QUESTION
    several = calls(("add", '{"numbers":[2]}'), ("add", '{"numbers":[1]}'), ("add", "{"))
    script = Script(several, says("FINAL ANSWER: 1"))
    assert [step.call_id for step in play(script).calls()] == ["c0", "c1", "c2"]
    assert [message.tool_call_id for message in script.seen[1][-3:]] == ["c0", "c1", "c2"]


def test_bad_calls_are_told_to_the_model() -> None:
    """A malformed or unknown call is an ERROR reply, and the run goes on; so it does where there are no tools."""
    for call in (("add", "not json"), ("add", "[]"), ("nothing", "{}"), ("", ""), ("add", "")):
        run = play(Script(calls(call), says("FINAL ANSWER: 3")))
        assert run.stop == "answered" and run.calls()[0].reply.served is Served.ERROR
    assert play(Script(calls(("add", "{}")), says("FINAL ANSWER: 3")), NoTools()).answer == "3"


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


def test_an_answer_beside_calls_is_not_final() -> None:
    """Only a message without calls submits."""
    both = Message("assistant", "FINAL ANSWER: 1", (ToolCall("c", "add", '{"numbers":[5]}'),))
    assert play(Script(both, says("FINAL ANSWER: 2"))).answer == "2"


ACT = 'Thought: I add.\nAction: add\nAction Input: {"numbers": [1, 2]}'
ANSWER = says("Thought: I know.\nFINAL ANSWER: 3")


def play_text(script: Script, toolset: Sums | None = None, budget: Budget | None = None) -> Trajectory:
    return TextReactAgent().run(QUESTION, script, toolset or Sums(), budget or Budget(5))


def test_it_acts_observes_and_answers() -> None:
    """No tool is offered natively; the call is a step like any other, its result an observation."""
    script = Script(says(ACT), ANSWER)
    run = play_text(script)
    assert (run.stop, run.answer, script.offered) == ("answered", "3", [(), ()])
    assert [type(step) for step in run.steps] == [ModelTurn, ToolStep, ModelTurn]
    made = run.calls()[0]
    assert (made.call_id, made.tool, made.arguments) == ("call_1_1", "add", '{"numbers": [1, 2]}')
    assert script.seen[1][2:] == (says(ACT), Message("user", 'Observation: {"of":[1,2],"sum":3}'))
    assert script.seen[0][1].content == QUESTION


def test_an_invented_observation_leads_nowhere() -> None:
    """What follows the Action Input is kept in the steps, cut from the conversation, and never an answer."""
    invented = f'{ACT}\nObservation: {{"sum": 4}}\nThought: so\nFINAL ANSWER: 4'
    script, toolset = Script(says(invented), ANSWER), Sums()
    run = play_text(script, toolset)
    assert (run.answer, len(toolset.executed)) == ("3", 1) and script.seen[1][2] == says(ACT)
    assert isinstance(run.steps[0], ModelTurn) and run.steps[0].message.content == invented
    run = play_text(Script(says(invented)), budget=Budget(1))
    assert (run.stop, run.answer, run.calls()) == ("turn_budget", None, ())


def test_an_answer_after_an_observation_without_any_action_counts() -> None:
    """Nothing was asked for, so nothing was invented in a tool's place: the last line is what was submitted."""
    assert play_text(Script(says("Observation: I have no tools.\nFINAL ANSWER: 3"))).answer == "3"


def test_a_message_with_neither_is_reminded_once() -> None:
    """Of both forms; native calls, which nobody offered, are none."""
    for line in (says("It is three."), says(""), adds(1), calls(("add", "{}"), text="FINAL ANSWER: 4")):
        script, toolset = Script(line, ANSWER), Sums()
        assert play_text(script, toolset).answer == "3" and toolset.executed == []
        reminder = script.seen[1][-1].content
        assert "Action Input" in reminder and "FINAL ANSWER" in reminder
        assert play_text(Script(line)).stop == "no_answer"
