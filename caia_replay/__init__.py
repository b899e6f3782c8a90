"""Deterministic offline replay of crypto-analyst agent tasks. The names below are the Python API (docs/python.md)."""

from importlib import import_module
from typing import Any

from caia_replay.core.version import __version__ as __version__

__all__ = (
    *("BadInput", "CaiaReplayError", "Run", "Score", "Suite", "Task", "ToolReply", "Toolset", "__version__"),
    *("open_suite", "read_run", "replay"),
)


def __getattr__(name: str) -> Any:
    """What ``api`` has, read when one of its names is first asked for: the package does no work on import."""
    if name in __all__:
        return getattr(import_module("caia_replay.api"), name)
    raise AttributeError(f"module 'caia_replay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
