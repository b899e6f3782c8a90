"""What a replay needs on this machine: each thing found or missing, and the command that brings it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from caia_replay.chain.anvil_binary import ANVIL_VERSION, find_anvil
from caia_replay.core.version import __version__
from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.home import HOME_VARIABLE, SETUP, home, world_roots
from caia_replay.sandbox.module import find_python
from caia_replay.store.world_folder import DEFAULT_SUITE

_OPTIONAL = {
    "mcp": ("mcp", "tools over MCP: serve tools, serve mcp"),
    "proxy": ("trustme", "any program's HTTP: http record, http replay"),
    "intake": ("rapidfuzz", "raw questions: intake screen"),
}
"""Extra -> the module that tells whether it is installed, and what for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing: whether it is here, what is said of it, and what to type where it is not. ``needed``: without it a
    replay may fail."""

    name: str
    here: bool
    told: str
    next_command: str = ""
    needed: bool = True


def findings() -> Iterator[Finding]:
    """Everything that is looked for, in the order a user needs it."""
    yield Finding("caia-replay", True, f"{__version__}, Python {platform.python_version()}, {platform.platform()}")
    yield _program(f"Anvil {ANVIL_VERSION}", find_anvil)
    yield _program("Python for WASI", find_python)
    for module, tools in (("wasmtime", "code_execution"), ("duckdb", "data_query's SQL")):
        here = find_spec(module) is not None
        yield Finding(module, here, f"for {tools}", "" if here else f"pip install {module}")
    yield from _suites()
    place = home()
    can = place is not None and os.access(_nearest(place), os.W_OK)
    told = "none" if place is None else str(place)
    yield Finding("folder for caches", can, told, "" if can else f"{HOME_VARIABLE}=/any/folder", needed=False)
    for extra, (module, use) in _OPTIONAL.items():
        here = find_spec(module) is not None
        yield Finding(f"extra {extra}", here, use, "" if here else f"pip install 'caia-replay[{extra}]'", needed=False)


def _program(name: str, find: Callable[[], Path]) -> Finding:
    try:
        return Finding(name, True, str(find()))
    except BadInput as fault:
        return Finding(name, False, f"{fault.where}: {fault.what}" if fault.where else fault.what, fault.next_command)
    except CaiaReplayError as fault:
        return Finding(name, False, str(fault), SETUP)


def _suites() -> Iterator[Finding]:
    files = [file for root in world_roots(Path.cwd()) for file in (root / "cassettes").glob("*/world.toml")]
    here = sorted({file.parent.name for file in files})
    yield Finding("suites", bool(here), ", ".join(here) or "none", "" if here else "caia-replay worlds add WORLDS")
    if DEFAULT_SUITE not in here:
        yield Finding(DEFAULT_SUITE, False, "the suite of 178 tasks", "caia-replay worlds add WHEEL", needed=False)


def _nearest(folder: Path) -> Path:
    """The folder, or the first one above it that exists."""
    return next(above for above in (folder, *folder.parents) if above.exists())
