"""An agent of the user's own: ``--agent module:Class``, a class that has a ``loop`` over a ``Run``.

Its code is covered by the certificate: the digest of its source stands where the digest of our prompts does.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Final

from caia_replay.agents.answer import final_answer
from caia_replay.agents.run import Ended, Run, play
from caia_replay.canonical import digest, digest_bytes
from caia_replay.core.agent import Budget
from caia_replay.core.model import ModelSession
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory
from caia_replay.errors import MACHINE_FAULTS, BadInput, CaiaReplayError, nearest, one_line

UNSIGNED: Final = "unsigned"
"""In place of a digest, where no source file is found: nobody can say which code has played."""
_NEXT: Final = "--agent MODULE:CLASS, with MODULE.py or the package MODULE in the current folder (docs/your-agent.md)"


class OwnAgent:
    """A class of the user's, of which every run gets an instance of its own. ``version`` is the class's own word."""

    def __init__(self, name: str) -> None:
        """Import ``name`` ("module:Class"). Raises ``BadInput``."""
        module, _, kind = name.partition(":")
        if not all(part.isidentifier() for part in (*module.split("."), kind)):
            raise BadInput(f"{name!r:.80} is no MODULE:CLASS", where="--agent", next_command=_NEXT)
        self.name = name
        self._kind = _loaded(module, kind)
        self.version = one_line(str(getattr(self._kind, "version", "")))[:80]
        self.prompt_digest = _source_digest(sys.modules[module.partition(".")[0]].__spec__)

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
        """Run one question to its end, as ``Scaffold.run``; what the agent's code raises ends it as agent_fault."""
        return play(lambda run: self._loop(run, question), session, toolset, budget)

    def _loop(self, run: Run, question: str) -> None:
        try:
            answer = self._kind().loop(run, question)
        except (Ended, CaiaReplayError, *MACHINE_FAULTS):
            raise
        except Exception as fault:  # a stranger's code raises what it likes
            raise Ended("agent_fault", detail=one_line(f"{type(fault).__name__}: {fault}")) from fault
        if answer is not None:
            raise Ended("answered", final_answer(str(answer)) or str(answer))


def _loaded(module: str, kind: str) -> Any:
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found = importlib.import_module(module)
    except Exception as fault:
        what = f"{module} cannot be imported: {one_line(f'{type(fault).__name__}: {fault}')}"
        raise BadInput(what, where="--agent", next_command=_NEXT) from fault
    loaded = getattr(found, kind, None)
    if not isinstance(loaded, type) or not callable(getattr(loaded, "loop", None)):
        classes = [name for name, value in vars(found).items() if isinstance(value, type) and hasattr(value, "loop")]
        what = f"{module} has no class {kind!r} with a method loop(self, run, question)"
        raise BadInput(what, where="--agent", nearest=nearest(kind, classes) or ", ".join(classes), next_command=_NEXT)
    return loaded


def _source_digest(spec: ModuleSpec | None) -> str:
    """Of a module's file, or of every Python file of a package."""
    if spec is None or not spec.has_location or spec.origin is None:
        return UNSIGNED
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    files = {path.relative_to(folder): path for folder in folders for path in folder.rglob("*.py")}
    try:
        return digest(
            {name.as_posix(): digest_bytes(path.read_bytes()) for name, path in files.items()}
            if folders
            else digest_bytes(Path(spec.origin).read_bytes())
        )
    except OSError:
        return UNSIGNED
