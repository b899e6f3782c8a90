"""The ReAct loop, played by a scripted session against a small real toolset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.agents.react import ReactAgent, final_answer, shown_text
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.core.trajectory import ModelTurn, ToolStep, Trajectory
from caia_replay.errors import BadInput, CaiaReplayError, ForkFault, Interrupted, ModelFault, WallLimit


class Script:
    """A session that says its lines in order, the last one for ever, and keeps what it was shown."""

    def __init__(self, *lines: Message | CaiaReplayError) -> None:
        self.lines = list(lines)
        self.seen: list[tuple[Message, ...]] = []

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Completion:
        """The next line."""
        self.seen.append(tuple(messages))
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        if isinstance(line, CaiaReplayError):
            raise line
        return Completion(line, Usage(1, 1), "stop")


class Sums:
    """A toolset with one tool that adds; ``fault`` breaks the world instead."""

    def __init__(self, fault: CaiaReplayError | None = None) -> None:
        self.fault = fault

    def specs(self) -> tuple[ToolSpec, ...]:
        """The one tool."""
        return (ToolSpec("add", "Adds.", {"type": "object"}, "Execution", "authoritative"),)

    def call(self, name: str, arguments: str) -> ToolReply:
        """The sum, or an ERROR reply as toolsets give it."""
        if self.fault:
            raise self.fault
        try:
            numbers = json.loads(arguments)["numbers"]
        except (ValueError, KeyError, TypeError):
            return ToolReply(Served.ERROR, error={"code": "bad_arguments"})
        if name != "add":
            return ToolReply(Served.ERROR, error={"code": "unknown_tool"})
        return ToolReply(Served.COMPUTED, MappingProxyType({"sum": sum(numbers), "of": tuple(numbers)}))


class NoTools:
    """The toolset of the no-tools condition."""

    def specs(self) -> tuple[ToolSpec, ...]:
        """None."""
        return ()

    def call(self, name: str, arguments: str) -> ToolReply:
        """Every name is unknown."""
        return ToolReply(Served.ERROR, error={"code": "unknown_tool"})


def says(text: str) -> Message:
    """A message without calls."""
    return Message("assistant", text)


def calls(*wanted: tuple[str, str]) -> Message:
    """A message with calls (name, arguments)."""
    return Message("assistant", "", tuple(ToolCall(f"c{n}", *call) for n, call in enumerate(wanted)))


def play(script: Script, toolset: Sums | NoTools | None = None, turns: int = 5) -> Trajectory:
    """One run."""
    return ReactAgent().run("What is 1 + 2?\n\n[asked at: ...]", script, toolset or Sums(), Budget(turns))


def test_it_acts_looks_and_answers() -> None:
    """A call, its result as canonical JSON, an answer."""
    script = Script(calls(("add", '{"numbers": [1, 2]}')), says("So it is.\nFINAL ANSWER: 3"))
    run = play(script)
    assert (run.stop, run.answer) == ("answered", "3")
    assert [type(step) for step in run.steps] == [ModelTurn, ToolStep, ModelTurn]
    assert script.seen[1][-1] == Message("tool", '{"of":[1,2],"sum":3}', tool_call_id="c0")
    assert script.seen[1][1].content == "What is 1 + 2?\n\n[asked at: ...]"


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


def test_an_endpoint_that_fails_is_the_models_fault() -> None:
    """The steps before it are kept, the reason is told."""
    run = play(Script(calls(("add", '{"numbers":[1]}')), ModelFault("rate_limit", "too many requests")))
    assert (run.stop, run.answer, len(run.steps)) == ("model_fault", None, 2)
    assert run.detail == "rate_limit: too many requests"


def test_a_world_that_fails_is_never_the_models_fault() -> None:
    """A dead fork ends the run as world_fault and says what happened."""
    run = play(Script(calls(("add", "{}"))), Sums(ForkFault("anvil died")))
    assert run.stop == "world_fault" and "anvil died" in run.detail


def test_a_limit_of_real_time_has_a_stop_of_its_own() -> None:
    """A tool that took too long ends the run as wall_limit, and the model is told nothing of it."""
    script = Script(calls(("add", "{}"), ("add", "{}")), says("FINAL ANSWER: 3"))
    run = play(script, Sums(WallLimit("a query", 20)))
    assert (run.stop, run.answer, run.detail) == ("wall_limit", None, "a query took longer than 20 s")
    assert (len(run.calls()), len(script.seen)) == (0, 1)


@pytest.mark.parametrize("fault", [Interrupted("stopped"), BadInput("broken tape")])
def test_what_only_the_user_can_end_or_mend_goes_through(fault: CaiaReplayError) -> None:
    """The user's stop, and files or settings that are wrong, end the command and not one run."""
    with pytest.raises(type(fault)):
        play(Script(calls(("add", "{}"))), Sums(fault))


def test_it_works_without_tools() -> None:
    """The no-tools condition is the same loop with nothing to call."""
    assert play(Script(calls(("add", "{}")), says("FINAL ANSWER: 3")), NoTools()).answer == "3"


@pytest.mark.parametrize(
    "text",
    [
        "FINAL ANSWER: 3 ETH",
        "final answer: 3 ETH",
        "**FINAL ANSWER:** 3 ETH",
        "**FINAL ANSWER: 3 ETH**",
        "Reasons.\n\n  Final Answer :  3 ETH  \n\n",
        "### FINAL ANSWER: 3 ETH",
        "FINAL ANSWER：3 ETH",
    ],
)
def test_the_answer_contract_in_its_spellings(text: str) -> None:
    """Case, bold marks, headings and space around the last line do not matter."""
    assert final_answer(text) == "3 ETH"


@pytest.mark.parametrize(
    "text",
    ["", "3", "FINAL ANSWER:", "**FINAL ANSWER:**", "FINAL ANSWER: 3\nor not", "My FINAL ANSWER: 3", "FINAL ANSWER 3"],
)
def test_other_endings_are_no_answer(text: str) -> None:
    """The line must be the last, start with the words, and say something."""
    assert final_answer(text) is None


def test_an_answer_beside_calls_is_not_final() -> None:
    """Only a message without calls submits."""
    both = Message("assistant", "FINAL ANSWER: 1", (ToolCall("c", "add", '{"numbers":[5]}'),))
    assert play(Script(both, says("FINAL ANSWER: 2"))).answer == "2"


def test_broken_text_from_the_world_reaches_the_model_as_text() -> None:
    """Half a surrogate pair could be neither sent nor stored; it becomes U+FFFD."""
    shown_text(ToolReply(Served.HIT, {"text": "\ud800"})).encode("utf-8")


def test_one_agent_serves_many_runs() -> None:
    """Nothing is kept between runs: equal runs give equal trajectories."""
    agent = ReactAgent()
    runs = [agent.run("q", Script(says("Hm."), says("FINAL ANSWER: 3")), Sums(), Budget(4)) for _ in range(2)]
    assert runs[0] == runs[1]
