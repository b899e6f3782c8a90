"""What every agent is: prompt files, known by one digest, and a loop."""

from __future__ import annotations

from abc import ABC, abstractmethod

from caia_replay.agents.prompt import load_prompt, prompt_digest
from caia_replay.agents.run import Run, play
from caia_replay.core.agent import Budget
from caia_replay.core.model import ModelSession
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory


class Scaffold(ABC):
    """An agent. One instance serves any number of runs at once; it keeps nothing between them.

    ``files`` names every prompt file it may render; no other can be rendered, so ``prompt_digest`` covers all.
    """

    name: str
    version = ""
    files: tuple[str, ...]

    def __init__(self) -> None:
        self._prompts = {name: load_prompt(name) for name in self.files}

    @property
    def prompt_digest(self) -> str:
        """Digest over the bytes of ``files``."""
        return prompt_digest(*self._prompts.values())

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
        """Run one question to its end; ``question`` already says the chain, block and time.

        Never raises for what a model, its endpoint or the world does: each ends in a named stop reason.
        Raises ``Interrupted`` when the user stops the command, and ``BadInput`` for what only the user can mend.
        """
        return play(lambda run: self.loop(run, question), session, toolset, budget)

    @abstractmethod
    def loop(self, run: Run, question: str) -> None:
        """Ask and act until something ends the run; returning ends it without an answer."""

    def render(self, name: str, **values: str) -> str:
        """A prompt file of ``files`` with its placeholders replaced."""
        return self._prompts[name].render(**values)
