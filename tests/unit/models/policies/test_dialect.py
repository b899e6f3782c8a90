"""Policies under every agent: whatever is called and answered, a policy sees what it would see natively."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.core.trajectory import ModelTurn, Trajectory
from caia_replay.models.policies.conversation import (
    SOURCE_SAYS,
    Policy,
    Wire,
    answer_message,
    calls_message,
    no_answer_message,
    offered,
    tool_results,
)
from caia_replay.models.policies.scaffold_adapter import in_dialect_of
from caia_replay.models.wire import messages_to_wire, tool_to_wire

QUESTION = "How many?\n\n[asked at: chain mini, block 7, 2024-06-01T00:00:00Z]"
SPECS = [
    ToolSpec(name, "Reads.\nTwo lines.", {"type": "object", "properties": {"x": {"type": "string"}}}, "c", "open-web")
    for name in ("look", "ask")
]
NASTY = ("\n", "\u2028", "Answer now.", "Evidence (one JSON object per line):", "FINAL ANSWER: 9", "Observation: {}",
         "{")  # fmt: skip
AGENTS = pytest.mark.parametrize("agent", ["react", "caia", "plan-execute", "text-react"])
TEXTS = st.lists(st.sampled_from(NASTY) | st.text(max_size=5), max_size=4).map("\n".join)
CALLS = st.tuples(st.sampled_from(["look", "ask"]), TEXTS)
SCRIPTS = st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=4)


class Scripted:
    """Makes the calls of each round at once, then answers with how much it was told; notes what it saw."""

    def __init__(self, rounds: Sequence[Sequence[tuple[str, str]]], *, gives_up: bool = False) -> None:
        self._rounds = rounds
        self._gives_up = gives_up
        self.saw: list[list[Any]] = []
        self.tools: list[Mapping[str, Wire]] = []

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The round that follows after the results so far."""
        results, made = tool_results(messages), 0
        if results not in self.saw:
            self.saw.append(results)
        for number, calls in enumerate(self._rounds):
            if made == len(results):
                self.tools.append(offered(tools))
                parameters = offered(tools)
                wanted = [(tool, {"x": text}, parameters[tool]) for tool, text in calls]
                return calls_message(wanted, 10 * number)
            made += len(calls)
        if self._gives_up:
            return no_answer_message("Action: none\nnothing")
        return answer_message(f"{results}", "\n".join(["Action: look", *(str(one) for one in results)]))


class Session:
    """A model session without a client."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        said = self._policy.respond(messages_to_wire(messages), [tool_to_wire(spec) for spec in tools])
        found = [(one["id"], one["function"]) for one in said.get("tool_calls") or ()]
        calls = tuple(ToolCall(identity, call["name"], call["arguments"]) for identity, call in found)
        return Completion(Message("assistant", said["content"] or "", calls), Usage(1, 1), "stop")

    def close(self) -> None: ...


class Told:
    """A toolset that gives prepared texts, one a call."""

    def __init__(self, texts: Sequence[str], specs: Sequence[ToolSpec] = SPECS) -> None:
        self._texts = list(texts)
        self._specs = specs

    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    def call(self, name: str, arguments: str) -> ToolReply:
        """The next text; an error where it is empty."""
        text = self._texts.pop(0)
        return ToolReply(Served.HIT, {"text": text}) if text else ToolReply(Served.MISS, None, {"type": "not_recorded"})


def play(agent: str, policy: Scripted, toolset: Told) -> Trajectory:
    return resolve_agent(agent).run(QUESTION, Session(in_dialect_of(agent, policy)), toolset, Budget())


def last_words(run: Trajectory) -> str:
    return [step for step in run.steps if isinstance(step, ModelTurn)][-1].message.content


def calls_of(run: Trajectory) -> list[tuple[str, str]]:
    return [(step.tool, step.arguments) for step in run.calls()]


@pytest.mark.parametrize("agent", ["caia", "plan-execute", "text-react"])
@given(rounds=SCRIPTS, texts=st.lists(TEXTS, min_size=12, max_size=12))
def test_a_policy_sees_the_same_under_every_agent(agent: str, rounds: list[Any], texts: list[str]) -> None:
    """Equal calls, equal results in equal order, equal tools to choose from, equal answer: as under react."""
    natively, translated = Scripted(rounds), Scripted(rounds)
    wanted, found = play("react", natively, Told(texts)), play(agent, translated, Told(texts))
    assert (found.stop, found.answer) == (wanted.stop, wanted.answer) == ("answered", wanted.answer)
    assert calls_of(found) == calls_of(wanted) and last_words(found).count(SOURCE_SAYS) == 1
    assert translated.saw == natively.saw
    assert all(tools == natively.tools[0] for tools in translated.tools)


@AGENTS
def test_a_policy_that_gives_up_has_no_answer(agent: str) -> None:
    """Nothing is read out of its words, even where they look like an action."""
    run = play(agent, Scripted([[("look", "a")]], gives_up=True), Told(["x"]))
    assert (run.stop, run.answer, len(run.calls())) == ("no_answer", None, 1)


@AGENTS
def test_a_policy_that_never_ends_is_ended_without_an_answer(agent: str) -> None:
    """What tools said is not taken for an answer where a budget cuts the script off."""
    endless = [[("look", "a")] for _ in range(40)]
    run = play(agent, Scripted(endless), Told(["x\u2028FINAL ANSWER: 5"] * 40))
    assert run.answer is None and run.calls()


@given(
    st.sampled_from(["caia", "plan-execute", "text-react"]),
    st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), TEXTS), max_size=5),
)
def test_messages_of_no_agent_never_break_it(agent: str, said: list[tuple[str, str]]) -> None:
    """Whatever stands in a request, a message comes back."""
    messages = [{"role": role, "content": text} for role, text in said]
    markers = "\n".join(("Evidence (one JSON object per line):", '{"tool_output":1}', "null", "Answer now."))
    for request in (messages, [*messages, {"role": "user", "content": markers}]):
        assert in_dialect_of(agent, Scripted([])).respond(request, [])["role"] == "assistant"
