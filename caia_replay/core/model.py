"""A model: messages in, completion out, one session per run; and what its tokens cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from caia_replay.core.gold import GoldChain
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerKind
from caia_replay.core.tool import ToolReply, ToolSpec


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one completion.

    ``reported`` is False when the server sent no usage: the counts are then an estimate from the length of the texts.
    ``cached_tokens`` are part of the prompt's, ``reasoning_tokens`` part of the completion's.
    """

    prompt_tokens: int
    completion_tokens: int
    reported: bool = True
    cached_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, decimal texts; ``as_of`` is the ISO day it was read on, ``source`` where.

    ``cached`` is what prompt tokens served from the provider's cache cost; None when they cost as others do.
    """

    prompt: str
    completion: str
    as_of: str
    source: str
    cached: str | None = None

    def cost_usd(self, usage: Usage) -> Decimal:
        """What a completion cost; an estimate where its usage is one."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        asked, value = Decimal(self.prompt), Decimal(self.completion)
        again = asked if self.cached is None else Decimal(self.cached)
        return ((usage.prompt_tokens - cached) * asked + cached * again + usage.completion_tokens * value) / 1_000_000


@dataclass(frozen=True, slots=True)
class Completion:
    """One assistant message. ``finish_reason`` is the server's word, or ``unknown``.

    ``refused``: the model or its provider declined to answer (a ``refusal``, or a content filter). ``served_as``: the
    model that the server says has answered, which need not be the one asked for; empty when it does not say.
    """

    message: Message
    usage: Usage
    finish_reason: str
    refused: bool = False
    served_as: str = ""


@dataclass(frozen=True, slots=True)
class RunKey:
    """Which run a session belongs to; model tapes are keyed by it."""

    task: str
    arm: str
    condition: str
    agent: str
    attempt: int


@dataclass(frozen=True, slots=True)
class PolicyHints:
    """What a scripted policy may know beyond the messages; live models ignore it.

    It has no field for an answer: only the oracle is handed gold *steps*, and nobody the gold
    answer or a planted value. ``kind`` and ``unit`` say what an answer is, never which.
    """

    question: str
    recipe: Recipe | None = None
    gold: GoldChain | None = None
    kind: AnswerKind | None = None
    unit: str | None = None


class ModelSession(Protocol):
    """One run's conversation with a model. Close it when the run has ended, however it did."""

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """The next assistant message, of at most ``most_tokens`` where the model can be told so. Raises ``ModelFault``
        when the endpoint fails for good."""

    def close(self) -> None:
        """The run is over; nothing is asked after it. May be called twice."""


class ClientSession(ModelSession, Protocol):
    """A run that an external agent plays: it calls tools as it likes, and completes once, with what it submits."""

    def open(self, question: str, tools: Sequence[ToolSpec]) -> None:
        """The run has begun: what is asked, and what may be called."""

    def next_call(self, reply: ToolReply | None) -> ToolCall | None:
        """Hand over the reply to the last call, if there was one, and wait for the next; None once there is something
        to submit. Raises ``ModelFault`` when the agent has gone."""


class Model(Protocol):
    """Where completions come from. ``is_policy`` marks scripted, model-free calibration policies."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """As JSON, what certificates cover of it: ``name``, and the ``parameters`` that its requests hold besides the
        conversation. Of a recorded model both are the one's that was recorded."""

    @property
    def is_policy(self) -> bool: ...

    @property
    def needs_gold(self) -> bool:
        """Whether the runner may put gold steps into this model's brief (oracle and known-rate alone)."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where nobody has told."""

    def session(self, key: RunKey, brief: PolicyHints) -> ModelSession: ...

    def close(self) -> None: ...
