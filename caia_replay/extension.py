"""What other distributions add: they name it in an entry point, and nothing here imports them.

``caia_replay.commands``   a command of ``caia-replay`` by its name
``caia_replay.origins``    for ``record --origin``: world's info -> context manager of an RPC URL on loopback
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

COMMANDS = "caia_replay.commands"
ORIGINS = "caia_replay.origins"


def extension(group: str, name: str) -> Any:
    """What an installed distribution registered under ``name``; None where none did."""
    found = next(iter(entry_points(group=group, name=name)), None)
    return None if found is None else found.load()


def extensions(group: str) -> list[str]:
    """The names that installed distributions registered, sorted."""
    return sorted({found.name for found in entry_points(group=group)})
