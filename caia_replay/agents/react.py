"""ReAct by native tool calling: ask, act, look, until a final answer.

The answer contract: the run's answer is what follows ``FINAL ANSWER:`` on the last line of a message without
tool calls. Nothing else a model says is ever scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from caia_replay.agents.prompt import Prompt, load_prompt, prompt_digest
from caia_replay.canonical import canonical_bytes
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message
from caia_replay.core.model import ModelSession
from caia_replay.core.tool import ToolReply, Toolset
from caia_replay.core.trajectory import ModelTurn, StopReason, ToolStep, Trajectory
from caia_replay.errors import BadInput, CaiaReplayError, Interrupted, ModelFault, WallLimit, one_line

_FINAL = re.compile(r"[\s*_#>`]*final\s+answer[\s*_`]*[:：][\s*_]*(?P<answer>.*?)[\s*_]*", re.IGNORECASE)


class ReactAgent:
    """The default agent. One instance serves any number of runs at once; it keeps nothing between them."""

    name = "react"

    def __init__(self) -> None:
        self._system = load_prompt("react.md")
        self._reminder = load_prompt("react_reminder.md")
        self._last_turn = load_prompt("react_last_turn.md")

    @property
    def prompt_digest(self) -> str:
        """Digest over the three prompt files' bytes."""
        return prompt_digest(self._system, self._reminder, self._last_turn)

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
        """Run one question to its end; ``question`` already says the chain, block and time.

        Never raises for what a model, its endpoint or the world does: each ends in a named stop reason.
        Raises ``Interrupted`` when the user stops the command, and ``BadInput`` for what only the user can mend.
        """
        prompt = (
            Message("system", self._system.render(turns=str(budget.turns))),
            Message("user", question),
        )
        run = _Run(session, toolset, budget.turns, self._reminder, self._last_turn, list(prompt))
        end = run.to_its_end()
        return Trajectory(prompt, tuple(run.steps), end.stop, end.answer, end.detail)


class _Ended(Exception):
    """Thrown from anywhere in a run to end it."""

    def __init__(self, stop: StopReason, answer: str | None = None, detail: str = "") -> None:
        self.stop: StopReason = stop
        self.answer = answer
        self.detail = detail


@dataclass(slots=True)
class _Run:
    session: ModelSession
    toolset: Toolset
    turns: int
    reminder: Prompt
    last_turn: Prompt
    messages: list[Message]
    steps: list[ModelTurn | ToolStep] = field(default_factory=list)
    reminded: bool = False

    def to_its_end(self) -> _Ended:
        try:
            for turn in range(1, self.turns + 1):
                if turn == self.turns:
                    self.messages.append(Message("user", self.last_turn.render()))
                self.take(turn)
            raise _Ended("turn_budget", detail=f"no answer within {self.turns} turns")
        except _Ended as end:
            return end
        except (Interrupted, BadInput):
            raise
        except ModelFault as fault:
            return _Ended("model_fault", detail=f"{fault.reason}: {fault}")
        except WallLimit as fault:
            return _Ended("wall_limit", detail=str(fault))
        except CaiaReplayError as fault:
            return _Ended("world_fault", detail=one_line(f"{type(fault).__name__}: {fault}"))

    def take(self, turn: int) -> None:
        message = self.ask(turn)
        if not message.tool_calls:
            self.settle(message, last=turn == self.turns)
        elif turn < self.turns:  # on the last turn nobody would read the results
            self.act(turn, message)

    def ask(self, turn: int) -> Message:
        completion = self.session.complete(tuple(self.messages), self.toolset.specs())
        self.steps.append(ModelTurn(turn, completion.message, completion.usage, completion.finish_reason))
        self.messages.append(completion.message)
        return completion.message

    def settle(self, message: Message, *, last: bool) -> None:
        answer = final_answer(message.content)
        if answer is not None:
            raise _Ended("answered", answer)
        if last or self.reminded:
            raise _Ended("no_answer", detail="the last message has no FINAL ANSWER line")
        self.reminded = True
        self.messages.append(Message("user", self.reminder.render()))

    def act(self, turn: int, message: Message) -> None:
        for call in message.tool_calls:
            reply = self.toolset.call(call.name, call.arguments)
            self.steps.append(ToolStep(turn, call.id, call.name, call.arguments, reply))
            self.messages.append(Message("tool", shown_text(reply), tool_call_id=call.id))


def final_answer(text: str) -> str | None:
    """What follows ``FINAL ANSWER:`` on the last line that is not empty; None without such a line or text after it."""
    lines: Sequence[str] = [line for line in text.splitlines() if line.strip()]
    found = _FINAL.fullmatch(lines[-1]) if lines else None
    return (found["answer"] or None) if found else None


def shown_text(reply: ToolReply) -> str:
    """What the model reads of a reply: canonical JSON; halves of broken surrogate pairs become U+FFFD."""
    return canonical_bytes(_plain(reply.shown())).decode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """Frozen mappings and tuples as the dicts and lists JSON knows."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
