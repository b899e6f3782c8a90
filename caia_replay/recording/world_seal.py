"""Sealing the worlds that stand on a snapshot after it was recorded into."""

from __future__ import annotations

from collections.abc import Iterator

from caia_replay.errors import SealBroken
from caia_replay.store.seal import check_seal
from caia_replay.store.world_folder import WorldFolder, open_draft, seal_world, worlds_on


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
