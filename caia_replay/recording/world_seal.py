"""Sealing the worlds that stand on a snapshot after it was recorded into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from caia_replay.errors import SealBroken
from caia_replay.store.seal import check_seal
from caia_replay.store.world_folder import WorldFolder, open_draft, read_info, seal_world, snapshots_of, worlds_on


def seal_recorded(path: Path, chain: str) -> Iterator[str]:
    """Seal the world in ``path``, whose files a recording has just changed, and the others that stand on ``chain``.

    A line each. Whoever recorded had checked the world's old seal before.
    """
    info = read_info(path)
    missing = [name for name in info.chains if not (snapshots_of(path) / name).exists()]
    if missing:
        yield f"not sealed yet: {path} also stands on {', '.join(missing)}, not recorded"
    else:
        before = _sealed_digest(path)
        digest = seal_world(path).digest
        if digest != before:
            yield f"sealed {path}: {digest}"
    if chain in info.chains:
        yield from seal_worlds(open_draft(path), chain)


def _sealed_digest(path: Path) -> str:
    try:
        return check_seal(path, snapshots_of(path)).digest
    except SealBroken:
        return ""


def seal_worlds(recorded: WorldFolder, chain: str) -> Iterator[str]:
    """Seal every world on ``chain`` whose own files are as they were sealed, and say so, a line each.

    The world that was recorded for is sealed for the first time here. One that lacks another chain stays
    unsealed, and one whose files were edited is left to its owner.
    """
    for path in worlds_on(recorded.snapshots, chain):
        own = path.resolve() == recorded.path.resolve()
        try:
            folder = open_draft(path)
            check_seal(path, folder.snapshots)
            continue  # it fits as it is
        except SealBroken:
            pass
        try:
            folder = open_draft(path)
        except SealBroken as fault:
            yield f"not sealed: {fault}"
            continue
        missing = [name for name in folder.info.chains if not (folder.snapshots / name).exists()]
        if missing:
            yield f"not sealed yet: {path} also stands on {', '.join(missing)}, not recorded"
        elif own or folder.seal.digest:
            yield f"sealed {path}: {seal_world(path).digest}"
