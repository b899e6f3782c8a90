"""An agent (scaffold): the loop between a question, a model and a toolset."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from caia_replay.core.model import ModelSession, Price
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory

TURNS = 20
"""Completions a run may ask for where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may spend; None is without limit.

    ``turns`` counts model completions, ``calls`` tool calls, ``tokens`` those of prompts and completions together
    (estimates count too), ``usd`` dollars by ``price``, which a limit in dollars needs. A limit on tokens or dollars
    is looked at before each completion, so that the one which passes it is the last.
    """

    turns: int = TURNS
    calls: int | None = None
    tokens: int | None = None
    usd: Decimal | None = None
    price: Price | None = None

    def left_for_completion(self, tokens: int, usd: Decimal, prompt_tokens: int) -> int | None:
        """How many tokens a completion may have after ``tokens`` and ``usd`` are spent, where its prompt has at least
        ``prompt_tokens``: at least one; None where neither is limited."""
        left: list[Decimal] = []
        if self.tokens is not None:
            left.append(Decimal(self.tokens - tokens - prompt_tokens))
        if self.usd is not None and self.price is not None and (each := Decimal(self.price.completion)):
            left.append(((self.usd - usd) * 1_000_000 - prompt_tokens * Decimal(self.price.prompt)) / each)
        return max(1, int(min(left))) if left else None


class Agent(Protocol):
    """Runs one question to its end and never raises for what a model does."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """What its author says; "" for those of this package, whose version a run tells."""

    @property
    def prompt_digest(self) -> str:
        """Digest of every prompt file the agent uses, or of a user's own agent's source; part of the certificate."""

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory: ...
