"""Plan and execute: a planner lists steps, each step is done in a conversation of its own, a synthesiser answers.

The answer contract: the run's answer is what follows ``FINAL ANSWER:`` on the last line of a synthesiser's message.
Nothing else a model says is ever scored: a step's result is what the synthesiser reads, and no answer.
"""

from __future__ import annotations

import re

from caia_replay.agents.answer import final_answer
from caia_replay.agents.reply_text import json_lines, shown_text
from caia_replay.agents.run import Run
from caia_replay.agents.scaffold import Scaffold
from caia_replay.core.tool import ToolReply

MOST_STEPS = 6
_NUMBERED = re.compile(r"[\s*_#>-]*(?:step\s*)?\d{1,3}[\s*_]*[.．)）、:：](?!\d)[\s*_]*(?P<step>.*)", re.IGNORECASE)


class PlanExecuteAgent(Scaffold):
    """A plan of at most ``MOST_STEPS`` steps; the run's last turn is always the synthesiser's."""

    name = "plan-execute"
    files = (
        "plan_execute_planner.md",
        "plan_execute_planner_user.md",
        "plan_execute_step.md",
        "plan_execute_step_user.md",
        "plan_execute_synthesis.md",
        "plan_execute_synthesis_user.md",
        "react_reminder.md",
    )

    def loop(self, run: Run, question: str) -> None:
        """Plan, execute, answer; a budget that runs out cuts the plan short, not the answer."""
        results: list[dict[str, str]] = []
        for step in self._plan(run, question):
            if run.is_last_turn:
                break
            results.append({"result": self._execute(run, question, step, results), "step": step})
        self._answer(run, question, results)

    def _plan(self, run: Run, question: str) -> list[str]:
        if run.is_last_turn:
            return []
        tools = [{"description": spec.description, "name": spec.name} for spec in run.toolset.specs()]
        run.begin(
            self.render("plan_execute_planner.md", steps=str(MOST_STEPS)),
            self.render("plan_execute_planner_user.md", question=question, tools=json_lines(tools)),
        )
        return plan_steps(run.ask(tools=False).content)

    def _execute(self, run: Run, question: str, step: str, results: list[dict[str, str]]) -> str:
        """A step's result: the first message without calls, or what its tools said where a budget cut it off."""
        run.begin(
            self.render("plan_execute_step.md"),
            self.render("plan_execute_step_user.md", question=question, results=json_lines(results), step=step),
        )
        replies: list[ToolReply] = []
        while not run.is_last_turn:
            message = run.ask()
            if not message.tool_calls:
                return message.content
            replies += [made.reply for made in run.act(message)]
        return "\n".join(map(shown_text, replies))

    def _answer(self, run: Run, question: str, results: list[dict[str, str]]) -> None:
        run.begin(
            self.render("plan_execute_synthesis.md"),
            self.render("plan_execute_synthesis_user.md", question=question, results=json_lines(results)),
        )
        while True:
            message = run.ask(tools=False)
            answer = None if message.tool_calls else final_answer(message.content)
            run.settle(answer, self.render("react_reminder.md"))


def plan_steps(plan: str) -> list[str]:
    """The numbered lines of a plan, each on one line; all of it as one step when no line is numbered."""
    found = [_NUMBERED.match(line) for line in plan.splitlines()]
    numbered = [_on_one_line(line["step"]) for line in found if line]
    return [step for step in numbered or [_on_one_line(plan)] if step][:MOST_STEPS]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
