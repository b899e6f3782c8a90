"""Putting a proven snapshot in its place, whole or not at all, its changes told before; sealing the worlds on it."""

from __future__ import annotations

import fcntl
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from caia_replay.chain.manifest import MANIFEST_NAME
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import BadInput, SealBroken
from caia_replay.recording.snapshot_merge import count_rows, differences, lost_rows
from caia_replay.store.seal import check_seal
from caia_replay.store.world_folder import WorldFolder, open_draft, read_info, seal_world, snapshots_of, worlds_on

_MOST_SHOWN: Final = 40
"""Changes that are told one by one, of each kind; the rest is counted."""


@contextmanager
def held(place: Path, lock: Path) -> Iterator[None]:
    """Nobody else records into ``place`` meanwhile, and what a stopped recording left is put right first.

    A swap that was cut between its two renames left the snapshot under a name of its own: it is put
    back. Raises ``BadInput`` when another recording runs, or ``lock`` cannot be made.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _put_right(place)
            yield
    except BlockingIOError:
        raise BadInput("another recording into this snapshot is running", where=place) from None


def _put_right(place: Path) -> None:
    retired = sorted(place.parent.glob(f".{place.name}.*.old"))
    if retired and not place.exists():
        retired.pop().rename(place)
    unproven = [path for word in ("staged", "tmp") for path in place.parent.glob(f".{place.name}.*.{word}")]
    for path in (*retired, *unproven):
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def staging(place: Path) -> Iterator[Path]:
    """A name beside ``place`` for what is not proven yet; nothing of it is left."""
    staged = place.with_name(f".{place.name}.{secrets.token_hex(4)}.staged")
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def swap_in(staged: Path, place: Path) -> bool:
    """Replace ``place`` by ``staged``; False when not one byte would change. Raises ``BadInput``."""
    if not place.exists():
        _rename(staged, place)
        return True
    if (staged / MANIFEST_NAME).read_bytes() == (place / MANIFEST_NAME).read_bytes():
        return False
    retired = place.with_name(f".{place.name}.{secrets.token_hex(4)}.old")
    _rename(place, retired)
    try:
        _rename(staged, place)
    except BaseException:
        retired.rename(place)
        raise
    shutil.rmtree(retired, ignore_errors=True)
    return True


def tell_changes(old: SnapshotRows, new: SnapshotRows, say: Callable[[str], None]) -> None:
    """Each row told differently, each that is gone, and how many there are of each table."""
    for word, found in (("changed", list(differences(old, new))), ("gone", list(lost_rows(old, new)))):
        for item in found[:_MOST_SHOWN]:
            say(f"{word}: {item}")
        if len(found) > _MOST_SHOWN:
            say(f"{word}: {len(found) - _MOST_SHOWN} more")
        if word == "changed":
            before, after = count_rows(old), count_rows(new)
            moved = [f"{name} {before[name]} -> {after[name]}" for name in before if before[name] != after[name]]
            counted = f"{len(found)} differences; rows: {', '.join(moved) or 'as many as before'}"
    say(counted)


def _rename(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
    except OSError as fault:
        raise BadInput(f"cannot be put in its place: {fault.strerror}", where=target) from fault


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
