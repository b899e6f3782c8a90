"""The command behind ``--`` of ``caia-replay rpc``: run with a node's address in its environment."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from caia_replay.errors import BadInput, nearest
from caia_replay.home import world_roots

URL_VARIABLE: Final = "ETH_RPC_URL"
UPSTREAM_VARIABLE: Final = "CAIA_REPLAY_RPC_URL"
"""Where the address of an upstream may stand; the command is not told it."""
HARDFORK_VARIABLE: Final = "CAIA_REPLAY_HARDFORK"
"""What ``rpc record --hardfork`` says, for the ``fork`` fixture of the command."""

_FOLDER: Final = "chain_snapshots"
_LONGEST_TOLD: Final = 100
"""Characters of a command that an error repeats."""


def run_command(
    command: Sequence[str],
    url: str,
    variables: Sequence[str] = (),
    *,
    output: IO[bytes] | None = None,
    settings: Mapping[str, str] | None = None,
) -> int:
    """Run ``command`` with ``url`` in ``ETH_RPC_URL`` and in each of ``variables``; its exit code.

    forge keeps what it reads in a cache of its own, from which a second run would be served: it is told not to.
    What it prints goes to ``output``, if that is given; ``settings`` are more of its environment. A command that a
    signal ended has the code shells give it. Raises ``BadInput`` when it cannot be started.
    """
    kept = {name: value for name, value in os.environ.items() if name != UPSTREAM_VARIABLE}
    environment = {**kept, "FOUNDRY_NO_STORAGE_CACHING": "true"}
    environment |= {**(settings or {}), **dict.fromkeys((URL_VARIABLE, *variables), url)}
    try:
        errors = None if output is None else subprocess.STDOUT
        code = subprocess.run(list(command), env=environment, check=False, stdout=output, stderr=errors).returncode
    except (OSError, ValueError) as fault:
        words = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise BadInput(f"cannot be started: {words}", where=command[0], next_command="check what follows --") from None
    return code if code >= 0 else 128 - code


def advice(out: Path, command: Sequence[str], kind: str = "archive") -> str:
    """The command that would bring what the snapshot ``out`` lacks. A long ``command`` is left out."""
    here = Path.cwd()
    place = out.resolve().relative_to(here) if out.resolve().is_relative_to(here) else out
    words = shlex.join(command)
    node = "" if kind == "archive" else f"--node {kind} "
    told = words if command and len(words) <= _LONGEST_TOLD and words.isprintable() else "COMMAND..."
    return f"caia-replay rpc record --add {node}--upstream URL --out {place} -- {told}"


def find_snapshot(named: str) -> Path:
    """A snapshot's folder, by its path, or by its name in ``chain_snapshots`` here, above or of an installed suite.

    Raises ``BadInput`` with the nearest name there is.
    """
    given = Path(named)
    if (given / "manifest.json").is_file():
        return given
    roots = [above / _FOLDER for above in world_roots(Path.cwd()) if (above / _FOLDER).is_dir()]
    for root in roots:
        if Path(named).name == named and (root / named / "manifest.json").is_file():
            return root / named
    known = sorted({path.parent.name for root in roots for path in root.glob("*/manifest.json")})
    raise BadInput(
        f"no snapshot {named!r:.80}" if roots else f"no snapshot {named!r:.80}, and no folder {_FOLDER} here or above",
        where=roots[0] if roots else "",
        nearest=nearest(named, known) or ", ".join(known),
        next_command=f"caia-replay rpc record --upstream URL --out {_FOLDER}/NAME -- COMMAND...",
    )
