"""Where things lie that are installed once and used from any folder, and the suites that were installed.

    HOME/node_modules/         Anvil and the Python for WASI, where there is no checkout
    HOME/worlds/<name>/        cassettes/ and chain_snapshots/ that ``caia-replay worlds add`` put there

HOME is ``CAIA_REPLAY_HOME``, else ``caia-replay`` in the user's cache folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

HOME_VARIABLE: Final = "CAIA_REPLAY_HOME"
SETUP: Final = "caia-replay setup"
"""The command that installs the two programs, from a checkout and from anywhere else."""
DATA: Final = "caia_replay.worlds"
"""The entry points of data wheels; each names a package with cassettes/ and chain_snapshots/."""

_PACKAGE: Final = Path(__file__).resolve().parent


def home() -> Path | None:
    """The folder HOME, made or not; None for a user without a home. A relative path counts for nothing."""
    try:
        named = os.environ.get(HOME_VARIABLE)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        cache = Path()
    place = Path(named) if named else cache / "caia-replay"
    return place if place.is_absolute() else None


def program_folders() -> Iterator[Path]:
    """Where node_modules/ may lie: the current folder and those above, those above the package, then HOME."""
    here, place = Path.cwd(), home()
    yield from (here, *here.parents, *_PACKAGE.parents)
    if place is not None:
        yield place


def checkout() -> Path | None:
    """The folder of the checkout that this package runs from; None where it was installed."""
    above = _PACKAGE.parent
    return above if (above / "pyproject.toml").is_file() and (above / "scripts" / "setup.sh").is_file() else None


def added_worlds() -> list[Path]:
    """The folders that ``caia-replay worlds add`` made, sorted; each holds cassettes/ and chain_snapshots/."""
    place = home()
    found = [] if place is None else sorted((place / "worlds").glob("*/cassettes"))
    return [cassettes.parent for cassettes in found if not cassettes.parent.name.startswith(".")]


def packaged_worlds() -> list[Path]:
    """The folders with cassettes/ that installed data wheels hold, sorted by name, then the package's own."""
    return [folder for folder in (*_data_wheels(), _PACKAGE / "worlds") if (folder / "cassettes").is_dir()]


@cache
def _data_wheels() -> tuple[Path, ...]:
    points = sorted(entry_points(group=DATA), key=lambda point: point.name)
    files = [getattr(point.load(), "__file__", None) for point in points]
    return tuple(Path(file).resolve().parent for file in files if file is not None)


def is_installed(world: Path) -> bool:
    """Whether a world was installed: it is anybody's, and comes back with the next installation."""
    place = world.resolve()
    return any(place.is_relative_to(root.resolve()) for root in (*packaged_worlds(), *added_worlds()))


def restore(path: Path) -> str:
    """What brings back a file of a world or a chain, told by where it lies: added, packaged, or in version control."""
    place = path.resolve()
    for root in added_worlds():
        if place.is_relative_to(root.resolve()):
            return f"caia-replay worlds remove {root.name}, then worlds add it again"
    if any(place.is_relative_to(root) for root in packaged_worlds()):
        return "install its package again: pip install --force-reinstall --no-deps"
    return f"git checkout -- {path}"


def world_roots(start: Path) -> Iterator[Path]:
    """Every folder whose cassettes/, chain_snapshots/ and model_tapes/ are looked into, the nearest first: ``start``
    and those above it, the worlds that were added, those that came in packages."""
    yield from (start, *start.parents)
    yield from added_worlds()
    yield from packaged_worlds()
