"""ReAct by native tool calling: ask, act, look, until a final answer.

The answer contract: the run's answer is what follows ``FINAL ANSWER:`` on the last line of a message without
tool calls. Nothing else a model says is ever scored.
"""

from __future__ import annotations

from caia_replay.agents.answer import final_answer
from caia_replay.agents.run import Run
from caia_replay.agents.scaffold import Scaffold


class ReactAgent(Scaffold):
    """The default agent."""

    name = "react"
    files = ("react.md", "react_reminder.md", "react_last_turn.md")

    def loop(self, run: Run, question: str) -> None:
        """Calls are executed; a message without any must answer, and is reminded of that once."""
        run.begin(self.render("react.md", turns=str(run.budget.turns)), question)
        while True:
            if run.is_last_turn:
                run.tell(self.render("react_last_turn.md"))
            message = run.ask()
            if message.tool_calls:
                run.act(message)
            else:
                run.settle(final_answer(message.content), self.render("react_reminder.md"))
