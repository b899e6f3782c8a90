"""What holds of every agent, whatever a model says."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.agents.prompt import FOLDER, load_prompt, prompt_digest
from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.agents.run import Run
from caia_replay.agents.scaffold import Scaffold
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, Usage
from caia_replay.core.trajectory import UNSCORED_STOPS, ModelTurn, StopReason
from caia_replay.errors import ModelFault
from tests.unit.agents.conftest import PRICE, QUESTION, NoTools, Script, Sums, adds, cut_off, declines, says

TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "FINAL ANSWER: 3",
                "final answer：三",
                "Thought: hm",
                "Observation: {}",
                "Action: add",
                "Action：",
                "```",
            ),
            *(
                'Action Input: {"numbers": [1, 2]}',
                '{"numbers": [1,\n2]}',
                "1. add 1 and 2",
                "2. answer",
                "{",
                '"',
                "\\",
            ),
            *('{"decision": "tool_call", "reasoning": ""}', '{"reasoning": "", "answer": "3"}', "\ud83d", "\x00", "约"),
        ]
    )
    | st.text(max_size=5),
    max_size=6,
).map("\n".join)
CALLS = st.lists(
    st.builds(
        ToolCall,
        st.text(max_size=2),
        st.sampled_from(["add", "", "nothing"]),
        st.sampled_from(['{"numbers":[1]}', "{"]),
    ),
    max_size=3,
).map(tuple)
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
@settings(max_examples=40)
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
@settings(max_examples=40)
@given(LINES, BUDGETS, CONDITIONS)
def test_every_word_of_a_run_is_kept(name: str, lines: list[Completion], budget: Budget, tools: type[Sums]) -> None:
    """The turns are what the model said, the calls what was executed, and each conversation's beginning is there."""
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


@EVERY_AGENT
@settings(max_examples=40)
@given(LINES, BUDGETS, CONDITIONS)
def test_every_conversation_is_one_a_server_takes(
    name: str, lines: list[Completion], budget: Budget, tools: type[Sums]
) -> None:
    """A system and a user message first; every call is followed by its replies; no message of the model is empty."""
    script = Script(*lines)
    resolve_agent(name).run(QUESTION, script, tools(), budget)
    for seen in script.seen:
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
@settings(max_examples=40)
@given(LINES, CONDITIONS)
def test_equal_models_give_equal_runs(name: str, lines: list[Completion], tools: type[Sums]) -> None:
    """One agent serves many runs and keeps nothing between them."""
    agent = resolve_agent(name)
    first, second = (agent.run(QUESTION, Script(*lines), tools(), Budget(6)) for _ in range(2))
    assert first == second == resolve_agent(name).run(QUESTION, Script(*lines), tools(), Budget(6))


@EVERY_AGENT
@pytest.mark.parametrize("tools", [Sums, NoTools])
@pytest.mark.parametrize("turns", [1, 2, 3, 20])
def test_a_model_that_loops_ends_by_its_budget(name: str, tools: type[Sums], turns: int) -> None:
    """A model that only ever calls, natively and in text, spends its turns or is found not to answer."""
    loop = Message("assistant", "Action: add\nAction Input: {}", adds(1).tool_calls)
    run = resolve_agent(name).run(QUESTION, Script(loop), tools(), Budget(turns))
    asked = min(turns, 6 if tools is Sums else 1) if name == "caia" else turns
    assert sum(isinstance(step, ModelTurn) for step in run.steps) == asked
    assert (run.stop, run.answer) == ("turn_budget" if asked == turns else "no_answer", None)


@EVERY_AGENT
@pytest.mark.parametrize("line", [declines(), declines("FINAL ANSWER: 3"), declines('{"answer": "3"}')])
def test_a_refusal_is_no_answer(name: str, line: Completion) -> None:
    """Every agent stops at the first."""
    run = resolve_agent(name).run(QUESTION, Script(line), Sums(), Budget())
    assert (run.stop, run.answer, len(run.steps)) == ("refused", None, 1)


@EVERY_AGENT
@pytest.mark.parametrize(("line", "stop"), [(cut_off("because"), "truncated"), (says(""), "no_answer")])
def test_nothing_but_cut_off_or_empty_messages_is_named(name: str, line: Completion, stop: str) -> None:
    """Cut off is truncated, empty is no answer and says so."""
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


@EVERY_AGENT
def test_prompts_ask_for_the_questions_language(name: str) -> None:
    """Each agent's system prompts, in the same words where an answer is asked for."""
    for file in type(resolve_agent(name)).files:
        text = load_prompt(file).text
        if not file.endswith(("_user.md", "_reminder.md", "_last_turn.md")):
            assert "in the language of the question." in text
        if "Give one answer only" in text:
            assert text.endswith("\n- Answer in the language of the question.")


@EVERY_AGENT
def test_the_digest_is_over_every_file(name: str) -> None:
    """A changed word in any of an agent's files is another digest."""
    agent = resolve_agent(name)
    assert agent.prompt_digest == prompt_digest(*map(load_prompt, type(agent).files))


def test_the_page_on_agents_is_complete() -> None:
    """docs/agents.md names every agent, prompt file and stop reason, and no other."""
    page = (Path(__file__).parents[3] / "docs" / "agents.md").read_text("utf-8")
    assert set(re.findall(r"^\*\*`([a-z-]+)`\.\*\*", page, re.MULTILINE)) == set(AGENTS)
    assert set(re.findall(r"`([a-z_]+\.md)`", page)) == {path.name for path in FOLDER.iterdir()}
    stops = page.partition("## Why a run stopped")[2]
    rows = [line.partition(" | ")[0] for line in stops.split("\n") if line.startswith("| `")]
    assert {stop for row in rows for stop in re.findall(r"`([a-z_]+)`", row)} == set(get_args(StopReason))
    unscored = [line for line in stops.split("\n") if line.endswith("| no |")]
    assert tuple(line.split("`")[1] for line in unscored) == UNSCORED_STOPS


def test_every_prompt_file_belongs_to_an_agent() -> None:
    """The digests cover every file there is, and name none that is not."""
    used = {file for name in AGENTS for file in type(resolve_agent(name)).files}
    assert used == {path.name for path in FOLDER.iterdir()}


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
