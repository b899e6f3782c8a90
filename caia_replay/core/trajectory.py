"""What a run leaves behind: its ordered steps, why it stopped, and the answer it submitted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from caia_replay.core.message import Message
from caia_replay.core.model import Usage
from caia_replay.core.tool import ToolReply

StopReason = Literal[
    "answered",
    "no_answer",
    "refused",
    "truncated",
    "turn_budget",
    "call_budget",
    "token_budget",
    "cost_budget",
    "context_overflow",
    "model_fault",
    "tape_miss",
    "world_fault",
    "wall_limit",
]
"""answered: an answer was submitted; no_answer: the model ended without one; refused: it, or its provider's filter,
declined; truncated: its last message was cut off before an answer; turn_budget, call_budget, token_budget,
cost_budget: it ran out of these; context_overflow: its endpoint says that the conversation is too long for it;
model_fault: its endpoint failed; tape_miss: a recorded model was asked what nobody recorded; world_fault: the
simulator itself failed (never the model); wall_limit: a tool call took longer than any may, which another machine
need not repeat."""

UNSCORED_STOPS: tuple[StopReason, ...] = ("model_fault", "tape_miss", "world_fault", "wall_limit")
"""Ends that say nothing about the model's answer: such a run is not scored, which is not wrong."""

UNFINISHED_STOPS: tuple[StopReason, ...] = ("model_fault", "wall_limit")
"""Ends that another try need not have: ``--resume`` plays such runs again."""

UNCERTIFIED_STOPS: tuple[StopReason, ...] = ("wall_limit",)
"""Ends that depend on how fast a machine is: no certificate covers such a run, and it is not finished for good."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """One completion. ``turn`` starts at 1.

    ``fresh``: what it was asked with when that was not the conversation so far but a new one; else empty.
    ``served_as``: as in ``Completion``.
    """

    turn: int
    message: Message
    usage: Usage
    finish_reason: str
    fresh: tuple[Message, ...] = ()
    served_as: str = ""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call made in ``turn``, in listed order."""

    turn: int
    call_id: str
    tool: str
    arguments: str
    reply: ToolReply


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All steps in order. ``answer`` is the submitted field alone, None unless ``stop`` is answered."""

    prompt: tuple[Message, ...]
    steps: tuple[ModelTurn | ToolStep, ...]
    stop: StopReason
    answer: str | None
    detail: str = field(default="")

    def calls(self) -> tuple[ToolStep, ...]:
        """The tool calls alone, in order."""
        return tuple(step for step in self.steps if isinstance(step, ToolStep))
