"""Every file of a world is sealed: no byte of it can change unseen, whichever command opens it."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.cli import main

KINDS = {
    "cassette": "cassettes/mini-6/http/pages.json",
    "task cassette": "cassettes/mini-6/tasks/*/http.json",
    "task": "cassettes/mini-6/tasks/*/task.toml",
    "suite": "cassettes/mini-6/suite.toml",
    "world": "cassettes/mini-6/world.toml",
    "targets": "cassettes/mini-6/targets.toml",
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
}
OTHERS = [name for name in COMMANDS if name != "replay"]


@pytest.mark.parametrize("command", ["replay", *(pytest.param(one, marks=pytest.mark.check) for one in OTHERS)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_refuses_a_changed_file(
    command: str,
    kind: str,
    mini: Path,
    damage: ModuleType,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One changed byte, or a missing file, is one line that names the file and a next command; exit code 2."""
    monkeypatch.chdir(mini)
    path = sorted(mini.glob(KINDS[kind]))[0]
    arguments = list(COMMANDS[command])
    if command == "call":
        arguments.append(sorted(mini.glob("cassettes/mini-6/tasks/*"))[0].name)
    data = path.read_bytes()
    for other in (damage.damaged(data, random.Random(kind)), None):
        with damage.changed(path, other), pytest.raises(SystemExit) as caught:
            main(arguments)
        shown = capsys.readouterr()
        assert caught.value.code == 2, shown
        assert shown.err.count("\n") == 1, shown.err
        assert path.name in shown.err
        assert "; next: " in shown.err
        assert not Path("run").exists()


@pytest.mark.check
def test_any_byte_of_any_file_counts(mini: Path, damage: ModuleType) -> None:
    """Random single-byte damage anywhere is refused when the world or the snapshot is opened."""
    damage.sweep(mini, rounds=120)
