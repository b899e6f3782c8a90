"""An agent whose tools say how far their sources can be trusted: truly, swapped or by lot."""

from __future__ import annotations

from typing import Final

from caia_replay.core.agent import Agent, Budget
from caia_replay.core.model import ModelSession
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory
from caia_replay.errors import BadInput, nearest
from caia_replay.tools.label_treatment import TREATMENTS

NO_LABELS: Final = "none"


class LabelledAgent:
    """An agent behind labels; its name and prompts are its own."""

    def __init__(self, agent: Agent, labels: str, seed: int) -> None:
        self._agent, self._labels, self._seed = agent, labels, seed

    @property
    def name(self) -> str:
        """The agent's."""
        return self._agent.name

    @property
    def prompt_digest(self) -> str:
        """The agent's."""
        return self._agent.prompt_digest

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
        """The agent's run, with labels on its tools."""
        treat = TREATMENTS[self._labels]
        shown = toolset if treat is None else treat(toolset, self._seed, question)
        return self._agent.run(question, session, shown, budget)


def labelling(agent: Agent, labels: str, seed: int) -> Agent:
    """The agent behind ``labels``, one of ``TREATMENTS``; itself for none. Raises ``BadInput`` for another word."""
    require_treatment(labels)
    return agent if labels == NO_LABELS else LabelledAgent(agent, labels, seed)


def require_treatment(labels: str) -> None:
    """Raise ``BadInput`` for what is no treatment of labels."""
    if labels not in TREATMENTS:
        raise BadInput(
            f"no treatment of labels {labels!r:.80}",
            where="--labels",
            nearest=nearest(labels, TREATMENTS),
            next_command=f"--labels {' | '.join(TREATMENTS)}",
        )
