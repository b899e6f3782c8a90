"""What a run leaves behind: its ordered steps, why it stopped, and the answer it submitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from caia_replay.core.message import Message
from caia_replay.core.model import Usage
from caia_replay.core.tool import ToolReply
from caia_replay.errors import CheckFailed, MachineFault, WallLimit

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
    "held_back",
    "model_fault",
    "tape_miss",
    "agent_fault",
    "client_gone",
    "world_fault",
    "machine_fault",
    "wall_limit",
]


@dataclass(frozen=True, slots=True)
class Stop:
    """What one way to end means.

    ``fault``: whose it is, "" for nobody's; the model's endpoint and its tape count as the model. ``scored``: the run
    has a verdict (without an answer: wrong); a run that is not scored says nothing of the model, which is not the same
    as wrong. ``certified``: another machine would end it there too, so a certificate may cover it. ``resumable``:
    another try need not end so, and ``--resume`` plays it again. ``exit_code``: of a replay with such a run.
    """

    when: str
    fault: Literal["", "model", "agent", "world", "machine"] = "model"
    scored: bool = True
    certified: bool = True
    resumable: bool = False
    exit_code: int = 0


def _endpoint(when: str) -> Stop:
    return Stop(when, scored=False, resumable=True, exit_code=MachineFault.exit_code)


def _machine(when: str) -> Stop:
    return Stop(when, "machine", scored=False, certified=False, resumable=True, exit_code=MachineFault.exit_code)


STOPS: Mapping[StopReason, Stop] = MappingProxyType(
    {
        "answered": Stop("The agent submitted an answer.", ""),
        "no_answer": Stop("An answer was due, and no message had one, not even after the reminder."),
        "refused": Stop("The model or its provider's filter declined."),
        "truncated": Stop("The last message was cut off at its length limit, before an answer."),
        "turn_budget": Stop("The last turn called tools instead of answering."),
        "call_budget": Stop("The tool calls were spent, and the turn after that had no answer."),
        "token_budget": Stop("The tokens were spent before an answer."),
        "cost_budget": Stop("The dollars were spent before an answer."),
        "context_overflow": Stop("The endpoint says that the conversation is longer than the model's context."),
        "held_back": Stop("A defence held the answer back, also after the agent was told so once.", ""),
        "model_fault": _endpoint("The endpoint failed for good: connection, time-out, rate limit, malformed reply."),
        "tape_miss": Stop("A recorded model was asked what is not on its tape.", scored=False),
        "agent_fault": Stop("The code of an agent of your own raised an error.", "agent"),
        "client_gone": Stop(
            "An external agent left, or asked nothing for as long as it may, before it had answered.",
            "agent",
            scored=False,
            certified=False,
            resumable=True,
            exit_code=MachineFault.exit_code,
        ),
        "world_fault": Stop(
            "The simulator failed, and would fail so again.", "world", scored=False, exit_code=CheckFailed.exit_code
        ),
        "machine_fault": _machine("A fork, the SQL engine, memory or the disk failed on this machine."),
        "wall_limit": _machine("A tool call ran into a limit of real time, which a faster machine need not."),
    }
)
"""Every way to end, in the order of the docs."""

UNSCORED_STOPS: tuple[StopReason, ...] = tuple(name for name, stop in STOPS.items() if not stop.scored)
UNFINISHED_STOPS: tuple[StopReason, ...] = tuple(name for name, stop in STOPS.items() if stop.resumable)
UNCERTIFIED_STOPS: tuple[StopReason, ...] = tuple(name for name, stop in STOPS.items() if not stop.certified)


def machine_stop(fault: BaseException) -> StopReason:
    """How a run ends that one of ``errors.MACHINE_FAULTS`` broke off."""
    return "wall_limit" if isinstance(fault, WallLimit) else "machine_fault"


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
