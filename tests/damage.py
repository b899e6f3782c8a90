"""Damage to sealed files: one byte at a time, undone at once (the fixture ``damage``), and folders without end."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.store.world_folder import open_world
from caia_replay.validation.lint import lint
from caia_replay.world.world import FrozenWorld


@contextmanager
def changed(path: Path, data: bytes | None) -> Iterator[None]:
    """``path`` with other bytes, or without the file, its modification time put back; undone at the end."""
    before, times = path.read_bytes(), path.stat()
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def nested(top: Path, levels: int = 1_500) -> Iterator[None]:
    """``levels`` folders in one another below ``top``; taken away again at the end, for ``rmtree`` would overflow."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    try:
        yield
    finally:
        while (top / "d" / "d").exists():
            (top / "d" / "d").rename(top / "e")
            (top / "d").rmdir()
            (top / "e").rename(top / "d")
        (top / "d").rmdir()


def damaged(data: bytes, random_source: random.Random) -> bytes:
    """``data`` with one byte changed, removed or put in."""
    at = random_source.randrange(len(data))
    other = bytes([data[at] ^ random_source.randrange(1, 256)])
    return random_source.choice(
        [data[:at] + other + data[at + 1 :], data[:at] + data[at + 1 :], data[:at] + other + data[at:]]
    )


def files(root: Path) -> list[Path]:
    """Every file of the world and its snapshot."""
    return sorted(
        path for name in ("cassettes", "chain_snapshots") for path in (root / name).rglob("*") if path.is_file()
    )


def sweep(root: Path, rounds: int) -> None:
    """Damage random files of ``root`` in random places; every damage must be refused by name, none may stay."""
    source = random.Random(rounds)
    world, found = root / "cassettes" / "mini-6", files(root)
    for _ in range(rounds):
        path = source.choice(found)
        with changed(path, damaged(path.read_bytes(), source)):
            with pytest.raises(BadInput) as caught:
                FrozenWorld(open_world(str(world)))
            assert path.name in str(caught.value)
            if path.parent.name == "mini":
                with pytest.raises(BadInput):
                    list(lint(path.parent))
    FrozenWorld(open_world(str(world)))
