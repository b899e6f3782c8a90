"""An agent (scaffold): the loop between a question, a model and a toolset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.model import ModelSession
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may spend; ``turns`` counts model completions."""

    turns: int = 20


class Agent(Protocol):
    """Runs one question to its end and never raises for what a model does."""

    @property
    def name(self) -> str: ...

    @property
    def prompt_digest(self) -> str:
        """Digest of every prompt file the agent uses; part of the certificate."""
        ...

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory: ...
