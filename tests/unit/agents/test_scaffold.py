"""What holds of every agent, whatever a model says; its prompts and its name."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.agents.prompt import FOLDER, load_prompt
from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.agents.run import Run
from caia_replay.agents.scaffold import Scaffold
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.trajectory import ModelTurn, StopReason
from caia_replay.errors import BadInput, ModelFault
from tests.unit.agents.conftest import PRICE, QUESTION, NoTools, Script, Sums, adds, cut_off, declines, says

SAYINGS = (
    "FINAL ANSWER: 3", "final answer：三", "Thought: hm", "Observation: {}", "Action: add", "Action：", "```",
    'Action Input: {"numbers": [1, 2]}', '{"numbers": [1,\n2]}', "1. add 1 and 2", "2. answer", "{", '"', "\\",
    '{"decision": "tool_call", "reasoning": ""}', '{"reasoning": "", "answer": "3"}', "\ud83d", "\x00", "约",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(SAYINGS) | st.text(max_size=5), max_size=6).map("\n".join)
CALLS = st.lists(
    st.builds(ToolCall, st.text(max_size=2), st.sampled_from(["add", "", "nothing"]),
              st.sampled_from(['{"numbers":[1]}', "{"])), max_size=3,
).map(tuple)  # fmt: skip
COMPLETIONS = st.builds(
    Completion,
    st.builds(Message, st.just("assistant"), TEXTS, st.just(()) | CALLS),
    st.builds(Usage, st.integers(0, 50), st.integers(0, 50), st.booleans()),
    st.sampled_from(["stop", "length", "tool_calls", "unknown"]),
    st.sampled_from([False] * 9 + [True]),
)
LINES = st.lists(COMPLETIONS | st.just(ModelFault("server", "no")), min_size=1, max_size=10)
LIMITS = st.none() | st.integers(0, 8)
BUDGETS = st.builds(
    lambda turns, calls, tokens, usd: Budget(
        turns, calls, tokens and tokens * 30, None if usd is None else Decimal(usd * 40), PRICE
    ),
    *(st.integers(0, 8), LIMITS, LIMITS, LIMITS),
)
CONDITIONS = st.sampled_from([Sums, NoTools])
EVERY_AGENT = pytest.mark.parametrize("name", AGENTS)


@EVERY_AGENT
@given(LINES, BUDGETS, CONDITIONS)
def test_no_model_outruns_its_budgets(name: str, lines: list[Completion], budget: Budget, tools: type[Sums]) -> None:
    """Whatever is said: nothing is raised, the end is named, steps are in order and within every budget."""
    toolset, script = tools(), Script(*lines)
    run = resolve_agent(name).run(QUESTION, script, toolset, budget)
    turns = [step for step in run.steps if isinstance(step, ModelTurn)]
    assert run.stop in get_args(StopReason) and (run.stop == "answered") == (run.answer is not None)
    assert [step.turn for step in turns] == list(range(1, len(turns) + 1)) and len(turns) <= max(budget.turns, 0)
    assert [step.turn for step in run.steps] == sorted(step.turn for step in run.steps)
    assert len(script.seen) - len(turns) == (run.stop == "model_fault")
    if budget.calls is not None:
        assert len(toolset.executed) <= budget.calls
    spent = [turn.usage.prompt_tokens + turn.usage.completion_tokens for turn in turns]
    assert budget.tokens is None or not turns or sum(spent[:-1]) < budget.tokens
    cost = [PRICE.cost_usd(turn.usage) for turn in turns]
    assert budget.usd is None or not turns or sum(cost[:-1]) < budget.usd
    if run.answer is not None:
        assert not turns[-1].message.tool_calls and run.answer.strip() and run.steps[-1] is turns[-1]


@EVERY_AGENT
@given(LINES, BUDGETS, CONDITIONS)
def test_every_word_of_a_run_is_kept(name: str, lines: list[Completion], budget: Budget, tools: type[Sums]) -> None:
    """Turns are what the model said, calls what was executed; one agent serves many runs and keeps nothing between."""
    toolset, script = tools(), Script(*lines)
    run = resolve_agent(name).run(QUESTION, script, toolset, budget)
    turns = [step for step in run.steps if isinstance(step, ModelTurn)]
    said = (lines + [lines[-1]] * len(turns))[: len(turns)]
    assert [turn.message for turn in turns] == [line.message for line in said]
    done = [(step.tool, step.arguments) for step in run.calls() if "call_budget" not in str(step.reply.error)]
    assert tools is NoTools or done == toolset.executed
    begun = run.prompt
    for turn, seen in zip(turns, script.seen):
        begun = turn.fresh or begun
        assert seen[: len(begun)] == begun
    for seen in script.seen:
        check_conversation(seen)
    assert run == resolve_agent(name).run(QUESTION, Script(*lines), tools(), budget)


def check_conversation(seen: tuple[Message, ...]) -> None:
    """A system and a user message first; every call is followed by its replies; no message of the model is empty."""
    assert [message.role for message in seen[:2]] == ["system", "user"]
    waiting: list[str] = []
    for message in seen[2:]:
        if message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
        else:
            assert not waiting and (message.role == "user" or message.content.strip() or message.tool_calls)
        waiting += [call.id for call in message.tool_calls]
    assert not waiting


@EVERY_AGENT
@pytest.mark.parametrize("tools", [Sums, NoTools])
def test_a_model_that_loops_ends_by_its_budget(name: str, tools: type[Sums]) -> None:
    """A model that only ever calls, natively and in text, spends its turns or is found not to answer."""
    loop = Message("assistant", "Action: add\nAction Input: {}", adds(1).tool_calls)
    for turns in (1, 2, 3, 20):
        run = resolve_agent(name).run(QUESTION, Script(loop), tools(), Budget(turns))
        asked = min(turns, 6 if tools is Sums else 1) if name == "caia" else turns
        assert sum(isinstance(step, ModelTurn) for step in run.steps) == asked
        assert (run.stop, run.answer) == ("turn_budget" if asked == turns else "no_answer", None)


@EVERY_AGENT
def test_refusals_and_what_is_cut_off_or_empty_are_no_answers(name: str) -> None:
    """Every agent stops at the first refusal; cut off is truncated, empty is no answer and says so."""
    for line in (declines(), declines("FINAL ANSWER: 3"), declines('{"answer": "3"}')):
        run = resolve_agent(name).run(QUESTION, Script(line), Sums(), Budget())
        assert (run.stop, run.answer, len(run.steps)) == ("refused", None, 1)
    for line, stop in ((cut_off("because"), "truncated"), (says(""), "no_answer")):
        run = resolve_agent(name).run(QUESTION, Script(line), Sums(), Budget())
        assert run.stop == stop and ("empty" in run.detail) == (stop == "no_answer")


@EVERY_AGENT
@settings(max_examples=20)
@given(st.text(min_size=1) | st.sampled_from(["$question", "$$5 和 ${x}?", "Evidence (one JSON object per line):\n{}"]))
def test_the_question_goes_in_unchanged(name: str, question: str) -> None:
    """Of any language, with dollar signs, with lines that look like the agent's own; in every conversation."""
    script = Script(adds(1), says("1. add"), says("hm"))
    run = resolve_agent(name).run(question, script, Sums(), Budget())
    fresh = [step.fresh for step in run.steps if isinstance(step, ModelTurn) and step.fresh]
    for begun in (run.prompt, *fresh):
        assert begun[1].content == question or begun[1].content.startswith(question + "\n\n")


def test_the_page_on_agents_is_complete() -> None:
    """docs/agents.md names every agent and prompt file, and no other; every file belongs to an agent."""
    page = (Path(__file__).parents[3] / "docs" / "agents.md").read_text("utf-8")
    assert set(re.findall(r"^\*\*`([a-z-]+)`\.\*\*", page, re.MULTILINE)) == set(AGENTS)
    files = {file for name in AGENTS for file in type(resolve_agent(name)).files}
    assert set(re.findall(r"`([a-z_]+\.md)`", page)) == {path.name for path in FOLDER.iterdir()} == files


class Echo(Scaffold):
    """An agent of one prompt file."""

    name = "echo"
    files = ("react_reminder.md",)

    def loop(self, run: Run, question: str) -> None:
        """Render a file that is not the agent's."""
        run.begin(self.render("react_last_turn.md"), question)


def test_a_file_outside_the_digest_cannot_be_rendered() -> None:
    """What an agent says is covered by its digest, or it is a fault of ours at the first run."""
    with pytest.raises(KeyError, match=r"react_last_turn\.md"):
        Echo().run(QUESTION, Script(says("")), Sums(), Budget())


def written(folder: Path, text: str, name: str = "a.md") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_what_does_not_render_is_refused(tmp_path: Path) -> None:
    """Missing and surplus values, a dollar sign that begins no placeholder, and a file that does not read."""
    prompt = load_prompt("a.md", written(tmp_path, "$a ${b}"))
    for values in ({}, {"a": "x"}, {"a": "x", "b": "y", "c": "z"}):
        with pytest.raises(BadInput, match=r"a\.md"):
            prompt.render(**values)
    with pytest.raises(BadInput):
        load_prompt("a.md", written(tmp_path, "costs $5")).render()
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    for name in ("bytes.md", "missing.md"):
        with pytest.raises(BadInput, match="does not read"):
            load_prompt(name, tmp_path)
