"""Every file of a world is sealed: no byte of it can change unseen, whichever command opens it."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.recording.lint import lint
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

KINDS = {
    "cassette": "cassettes/mini-6/http/pages.json",
    "task cassette": "cassettes/mini-6/tasks/*/http.json",
    "task": "cassettes/mini-6/tasks/*/task.toml",
    "suite": "cassettes/mini-6/suite.toml",
    "world": "cassettes/mini-6/world.toml",
    "overlay": "cassettes/mini-6/overlays/*.toml",
    "seal": "cassettes/mini-6/seal.json",
    "manifest": "chain_snapshots/mini/manifest.json",
    "accounts": "chain_snapshots/mini/*accounts*.parquet",
    "transactions": "chain_snapshots/mini/*transactions*.parquet",
}
COMMANDS = {
    "replay": ("replay", "--runs", "1", "--out", "run"),
    "verify": ("verify",),
    "call": ("call", "block_query", "{}", "--suite", "mini-6", "--task"),
    "lint": ("lint",),
    "lint path": ("lint",),
    "bench": ("bench", "chain"),
}


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


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_refuses_a_changed_file(
    command: str, kind: str, mini: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One changed byte, or a missing file, is one line that names the file and a next command; exit code 2."""
    monkeypatch.chdir(mini)
    path = sorted(mini.glob(KINDS[kind]))[0]
    arguments = list(COMMANDS[command])
    if command == "call":
        arguments.append(sorted(mini.glob("cassettes/mini-6/tasks/*"))[0].name)
    if command == "lint path":
        arguments.append(str(path))
    data = path.read_bytes()
    for other in (damaged(data, random.Random(kind)), None):
        if other is None and command == "lint path":
            continue
        with changed(path, other), pytest.raises(SystemExit) as caught:
            main(arguments)
        shown = capsys.readouterr()
        assert caught.value.code == 2, shown
        assert shown.err.count("\n") == 1, shown.err
        assert path.name in shown.err
        assert "; next: " in shown.err
        assert not Path("run").exists()


def test_any_byte_of_any_file_counts(mini: Path) -> None:
    """Random single-byte damage anywhere is refused when the world or the snapshot is opened."""
    sweep(mini, rounds=120)


@pytest.mark.soak
def test_any_byte_of_any_file_counts_over_thousands(mini: Path) -> None:
    """The same over a few thousand damages."""
    sweep(mini, rounds=4_000)


def sweep(root: Path, rounds: int) -> None:
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
