"""Two hundred odd things that a small real model said (scripts/odd_completions.py), through every agent and tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.agents.text_action import find_action
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import Toolset, ToolSpec
from caia_replay.core.trajectory import STOPS, ToolStep, Trajectory
from caia_replay.runner.episode import asked, toolset_in
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import open_world
from caia_replay.tools.tool_set import TOOL_SETS
from caia_replay.world.world import FrozenWorld

SAID = Path(__file__).resolve().parents[1] / "fixtures" / "odd_completions.jsonl"
KINDS = {"call", "malformed call", "call in no form", "broken JSON", "refusal", "other languages", "repetition"}
TURNS = 3


@cache
def completions() -> tuple[tuple[str, str, str], ...]:
    """Kind, why it ended, text."""
    lines = SAID.read_text("utf-8").splitlines()
    return tuple((kind, ended, text) for kind, ended, text in map(json.loads, lines))


class Speaker:
    """Says the texts in turn, from one on; where tools are offered, an action in a text is a native call, as servers
    make of one."""

    def __init__(self, first: int) -> None:
        self._next = first

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        _, finish_reason, text = completions()[self._next % len(completions())]
        action = find_action(text) if tools else None
        calls = () if action is None else (ToolCall(f"call_{self._next}", action.tool, action.arguments),)
        self._next += 1
        return Completion(Message("assistant", text, calls), Usage(1, 1), finish_reason)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def table(shipped: Path) -> Iterator[tuple[str, Toolset]]:
    """A question of the small suite, and tools over its world."""
    with FrozenWorld(open_world(str(shipped))) as world:
        task = world.folder.task("mini6-supply")
        with toolset_in("clean", world.task(task), TOOL_SETS["core-8"]) as tools:
            yield asked(task), tools


def played(agent: str, first: int, table: tuple[str, Toolset]) -> Trajectory:
    """One run that begins with a text."""
    question, tools = table
    return resolve_agent(agent).run(question, Speaker(first), tools, Budget(TURNS))


def test_they_are_two_hundred_different_ones_of_many_kinds() -> None:
    """No text stands there twice, and each kind that the real model was led to is among them."""
    assert len(completions()) == 200 == len({text for _, _, text in completions()})
    assert {kind for kind, _, _ in completions()} >= KINDS


@pytest.mark.parametrize("agent", AGENTS)
def test_every_text_ends_in_a_named_way(agent: str, table: tuple[str, Toolset]) -> None:
    """Whatever was said, a run ends by a known stop, the same when repeated, with an answer only where it answered."""
    for first in range(len(completions())):
        run = played(agent, first, table)
        assert run.stop in STOPS and STOPS[run.stop].scored, (first, run.stop, run.detail)
        assert (run.answer is not None) == (run.stop == "answered")
        assert run == played(agent, first, table), first


def test_what_is_called_stands_in_what_was_said(table: tuple[str, Toolset]) -> None:
    """A call of the first turn has the name and the beginning of the arguments that the model wrote."""
    for first, (_, _, text) in enumerate(completions()):
        for agent in ("react", "text-react"):
            steps = [step for step in played(agent, first, table).steps if isinstance(step, ToolStep)]
            assert all(step.tool in text and step.arguments[:8] in text for step in steps if step.turn == 1), first


def test_every_text_as_an_answer_has_one_verdict(shipped: Path) -> None:
    """Judged as an answer to each task, a text is right or wrong with a reason, the same when it is judged again."""
    folder = open_world(str(shipped))
    for task in map(folder.task, folder.suite.active()):
        for _, _, text in completions():
            score = verify(task.answer, text, task.question)
            assert score.reason or score.correct, (task.id, text)
            assert score == verify(task.answer, text, task.question)
