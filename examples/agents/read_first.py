"""An agent for models too small to call a tool of themselves: it searches before its model is asked anything.

The question is searched for on the web by its own words, and what was found stands above it. From there on the model
does as it likes: a message with an action, as text-react reads it, is a call; any other is the answer, whole. Without a
web to search, the question stands alone. The lines below a question, with its moment and its answer's form, are left
out: small models repeat the form's example for an answer.

caia-replay replay --model local/smollm2-135m --agent examples.agents.read_first:ReadFirst
"""

from __future__ import annotations

import json
from typing import Final

from caia_replay.agents.reply_text import json_lines, shown_text
from caia_replay.agents.run import Run
from caia_replay.agents.text_action import find_action
from caia_replay.core.message import ToolCall

SYSTEM: Final = "Answer the question with one short sentence."
HOW: Final = (
    "To look further, write a line `Action: <tool>` and a line `Action Input: <JSON object>`. "
    "The tools, one JSON object a line:\n"
)
FOUND: Final = "A web search of the question found:"
SEARCH: Final = "web_search"
RESULTS: Final = 5
LONGEST_QUERY: Final = 200


class ReadFirst:
    """One search of the agent's own; then ask, act, and take the first message without an action."""

    version = "1.0"

    def loop(self, run: Run, question: str) -> str:
        """The answer to one question."""
        specs = run.toolset.specs()
        told = [{"description": one.description, "name": one.name, "parameters": one.parameters} for one in specs]
        system = f"{SYSTEM} {HOW}{json_lines(told)}" if told else SYSTEM
        wanted = question.partition("\n")[0]
        run.begin(system, self._found(run, wanted) + wanted)
        while True:
            said = run.ask(tools=False).content
            action = find_action(said)
            if action is None:
                return said
            step = run.call(ToolCall(f"call_{run.turns}", action.tool, action.arguments))
            run.tell(f"Observation: {shown_text(step.reply)}\n\n{wanted}")

    def _found(self, run: Run, question: str) -> str:
        if all(spec.name != SEARCH for spec in run.toolset.specs()):
            return ""
        wanted = {
            "query": question[:LONGEST_QUERY],
            "limit": RESULTS,
            "page": 1,
            "past": None,
            "first_day": None,
            "last_day": None,
        }
        reply = run.call(ToolCall("read_first", SEARCH, json.dumps(wanted, sort_keys=True))).reply
        lines = [f"{one['title']}: {one['snippet']}" for one in reply.shown().get("results", ())]
        return "\n".join([FOUND, *(lines or [shown_text(reply)]), "", ""])
