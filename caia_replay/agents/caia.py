"""CAIA's own scaffold: a few rounds of decisions, then one fresh call that writes the answer from the evidence.

After the published code: at most five rounds with parallel tool calls, each message a decision object, and a
synthesis that sees the question and what the tools said, but not the conversation.

The answer contract: the run's answer is the ``answer`` of the synthesis' JSON object. Nothing else is ever scored.
"""

from __future__ import annotations

from caia_replay.agents.answer import answer_field
from caia_replay.agents.reply_text import json_lines
from caia_replay.agents.run import Ended, Run
from caia_replay.agents.scaffold import Scaffold
from caia_replay.core.trajectory import ToolStep

MOST_ROUNDS = 5


class CaiaAgent(Scaffold):
    """At most ``MOST_ROUNDS`` decisions, then a synthesis; without tools the synthesis alone."""

    name = "caia"
    files = ("caia.md", "caia_synthesis.md", "caia_synthesis_user.md")

    def loop(self, run: Run, question: str) -> None:
        """The last turn is always the synthesis'."""
        if run.has_tools and not run.is_last_turn:
            self._gather(run, question)
        evidence = [_evidence(step) for step in run.steps if isinstance(step, ToolStep)]
        run.begin(
            self.render("caia_synthesis.md"),
            self.render("caia_synthesis_user.md", question=question, evidence=json_lines(evidence)),
        )
        message = run.ask(tools=False)
        answer = None if message.tool_calls else answer_field(message.content)
        raise run.unanswered("the synthesis has no answer field") if answer is None else Ended("answered", answer)

    def _gather(self, run: Run, question: str) -> None:
        rounds = min(MOST_ROUNDS, run.budget.turns - 1)
        run.begin(self.render("caia.md", rounds=str(rounds)), question)
        for _ in range(rounds):
            if run.is_last_turn:
                return
            message = run.ask()
            if not message.tool_calls:  # whatever its decision says: there is nothing to execute
                return
            run.act(message)


def _evidence(step: ToolStep) -> dict[str, object]:
    return {
        "call_id": step.call_id,
        "tool_input": step.arguments,
        "tool_name": step.tool,
        "tool_output": step.reply.shown(),
    }
