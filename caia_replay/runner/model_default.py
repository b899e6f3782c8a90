"""How a model is played where the user does not say: by what it can take, or as its tape was recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.models.local_file import LOCAL, packaged
from caia_replay.models.resolve import RECORDED
from caia_replay.store.tape_folder import open_tape

AGENT: Final = "react"


@dataclass(frozen=True, slots=True)
class Defaults:
    """The agent's name, and the names of tools and sets as ``--tools`` takes them; none for all."""

    agent: str = AGENT
    tools: tuple[str, ...] = ()


def defaults_of(model: str) -> Defaults:
    """A tape's agent, where it has one alone, and its tools; what a packaged local model is known to take; else
    ``react`` with all tools. Raises ``BadInput`` for a tape that cannot be used."""
    if model.startswith(RECORDED):
        header = open_tape(model.removeprefix(RECORDED), Path.cwd()).header
        agents = {run.agent for run in header.runs}
        return Defaults(agents.pop() if len(agents) == 1 else AGENT, header.tools)
    known = packaged(model) if model.startswith(LOCAL) else None
    return Defaults() if known is None else Defaults(known.agent, known.tools)
