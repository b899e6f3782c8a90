"""Planned overlays kept between commands: planning a campaign over a big world takes seconds, and comes out the same.

They lie in a folder that no other user can write. One that was damaged, or planned by other code, is planned again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from caia_replay.canonical import digest
from caia_replay.cassette.private_folder import private_folder
from caia_replay.core.overlay import Overlay, overlay_digest
from caia_replay.store.seal import digest_file, write_atomic
from caia_replay.store.world_folder import WorldFolder

_MOST_KEPT: Final = 32
"""Of some megabytes each; the oldest go."""


def kept_overlay(folder: WorldFolder, asked: str, plan: Callable[[], Overlay]) -> Overlay:
    """What ``plan`` gives, or what it gave before for the same world, code and ``asked``, a text that says what is
    planned."""
    private = private_folder()
    if private is None:
        return plan()
    name = digest([folder.seal.digest, _code(), asked]).removeprefix("sha256:")
    path = private / "overlays" / f"{name}.pickle"
    found = _read(path)
    if found is None:
        found = plan()
        with suppress(OSError):  # a full disk plans again next time
            write_atomic(path, pickle.dumps(found))
            _forget_oldest(path.parent)
    return found


def _read(path: Path) -> Overlay | None:
    try:
        found = pickle.loads(path.read_bytes())
        return found if overlay_digest(found) == found.digest else None
    except Exception:  # noqa: BLE001 -- damaged bytes may raise anything
        return None


def _forget_oldest(folder: Path) -> None:
    kept = sorted(folder.glob("*.pickle"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for path in kept[:-_MOST_KEPT]:
        path.unlink(missing_ok=True)


@cache
def _code() -> str:
    """The digest of all files of the package: whatever changes there may change a plan."""
    package = Path(__file__).parents[1]
    files = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".toml"})
    return digest([[path.relative_to(package).as_posix(), digest_file(path)] for path in files])
