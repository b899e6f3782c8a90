"""A model: messages in, completion out, one session per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.gold import GoldChain
from caia_replay.core.message import Message
from caia_replay.core.suite import Recipe
from caia_replay.core.tool import ToolSpec


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one completion. ``reported`` is False when the server sent no usage."""

    prompt_tokens: int
    completion_tokens: int
    reported: bool = True


@dataclass(frozen=True, slots=True)
class Completion:
    """One assistant message. ``finish_reason`` is the server's word, or ``unknown``."""

    message: Message
    usage: Usage
    finish_reason: str


@dataclass(frozen=True, slots=True)
class RunKey:
    """Which run a session belongs to; model tapes are keyed by it."""

    task: str
    arm: str
    condition: str
    agent: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Brief:
    """What a scripted policy may know beyond the messages; live models ignore it.

    It has no field for an answer: only the oracle is handed gold *steps*, and nobody the gold
    answer or a planted value.
    """

    question: str
    recipe: Recipe | None = None
    gold: GoldChain | None = None


class ModelSession(Protocol):
    """One run's conversation with a model."""

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Completion:
        """The next assistant message. Raises ``ModelFault`` when the endpoint fails for good."""
        ...


class Model(Protocol):
    """Where completions come from. ``is_policy`` marks scripted, model-free calibration policies."""

    @property
    def name(self) -> str: ...

    @property
    def is_policy(self) -> bool: ...

    @property
    def needs_gold(self) -> bool:
        """Whether the runner may put gold steps into this model's brief (oracle and known-rate alone)."""
        ...

    def session(self, key: RunKey, brief: Brief) -> ModelSession: ...

    def close(self) -> None: ...
