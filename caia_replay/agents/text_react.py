"""ReAct in text, for models without tool calling: Thought, Action, Action Input; Observation.

The answer contract: the run's answer is what follows ``FINAL ANSWER:`` on the last line of a message without an
Action. A message with one is never an answer: whatever follows its Action was written before the tool replied.
"""

from __future__ import annotations

from caia_replay.agents.answer import final_answer
from caia_replay.agents.reply_text import json_lines, shown_text
from caia_replay.agents.run import Run
from caia_replay.agents.scaffold import Scaffold
from caia_replay.agents.text_action import find_action
from caia_replay.core.message import ToolCall

_NATIVE = "the last message calls tools natively, and this agent offers none: --agent react does"


class TextReactAgent(Scaffold):
    """The default agent's loop without native tools: their specifications are text, and so are the calls."""

    name = "text-react"
    files = ("text_react.md", "text_react_reminder.md", "react_last_turn.md")

    def loop(self, run: Run, question: str) -> None:
        """One action a message; a message without any must answer, and is reminded of that once."""
        tools = [
            {"description": spec.description, "name": spec.name, "parameters": spec.parameters}
            for spec in run.toolset.specs()
        ]
        system = self.render("text_react.md", tools=json_lines(tools), turns=str(run.budget.turns))
        run.begin(system, question)
        while True:
            if run.is_last_turn:
                run.tell(self.render("react_last_turn.md"))
            message = run.ask(tools=False)
            action = find_action(message.content)
            if action is not None:
                run.cut(action.said)
                step = run.call(ToolCall(f"call_{run.turns}_1", action.tool, action.arguments))
                run.tell(f"Observation: {shown_text(step.reply)}")
            else:
                answer = None if message.tool_calls else final_answer(message.content)
                native = (_NATIVE,) if message.tool_calls else ()
                run.settle(answer, self.render("text_react_reminder.md"), *native)
