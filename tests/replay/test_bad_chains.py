"""Chains that cannot be used, by way of the command line: one line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from caia_replay.canonical import digest, digest_bytes, pretty_bytes
from caia_replay.cli import main
from caia_replay.store.world_folder import open_world, save_task, seal_world

TASK = "mini6-supply"
UNPINNED = 61

Break = Callable[[Path], tuple[str, ...]]
"""Breaks the copy of the world under a root, and returns what the one line has to say."""


def snapshot(root: Path) -> Path:
    return root / "chain_snapshots" / "mini"


def unpinned(root: Path) -> tuple[str, ...]:
    """The task is moved to the block after the last recorded one, and the world sealed so."""
    world = root / "cassettes" / "mini-6"
    task = open_world(str(world)).task(TASK)
    save_task(world, replace(task, anchor=replace(task.anchor, block=UNPINNED)))
    seal_world(world)
    return (f"block {UNPINNED} of chain mini is not recorded", "blocks 0 to 60", "next: caia-replay record --task")


def truncated(root: Path) -> tuple[str, ...]:
    """The storage table loses its last bytes, where Parquet keeps what it holds."""
    (table,) = snapshot(root).glob("*storage*")
    table.write_bytes(table.read_bytes()[:-100])
    return (table.name, "next: ")


def truncated_and_sealed(root: Path) -> tuple[str, ...]:
    """The same under a digest that fits, so that only reading it can tell."""
    name = truncated(root)[0]
    fits = digest_bytes((snapshot(root) / name).read_bytes())
    rewrite_manifest(root, lambda body: body["files"][name].update(digest=fits))
    return (name, "Parquet")


def newer(root: Path) -> tuple[str, ...]:
    """The manifest says schema version 3, and everything else is in order."""
    rewrite_manifest(root, lambda body: body.update(schema_version=3))
    return ("was written in schema version 3, newer than this caia-replay reads", "nearest: schema version 2", "next: ")


def rewrite_manifest(root: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest, and make its own digest and the world's seal fit."""
    path = snapshot(root) / "manifest.json"
    body = json.loads(path.read_bytes())
    del body["digest"]
    change(body)
    path.write_bytes(pretty_bytes({**body, "digest": digest(body)}))
    seal_world(root / "cassettes" / "mini-6")


def files(root: Path) -> dict[Path, bytes]:
    """Every file but the indexes, which are disposable."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts}


def run(root: Path, *arguments: str) -> Result:
    with chdir(root):
        return CliRunner().invoke(main, arguments)


COMMANDS = {
    "call": ("call", "balance_query", '{"address": "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"}', "--task", TASK),
    "verify": ("verify",),
    "replay": ("replay", "--runs", "1", "--model", "policy/oracle", "--task", TASK, "--out", "run"),
    "lint": ("lint",),
}


@pytest.mark.parametrize(
    "breaks",
    [truncated, *(pytest.param(b, marks=pytest.mark.check) for b in (unpinned, truncated_and_sealed, newer))],
    ids=lambda case: case.__name__,
)
def test_a_chain_that_cannot_be_used_is_one_line(mini: Path, breaks: Break) -> None:
    """Every command that would stand on it says what is wrong and where, writes no result, and exits 2."""
    words = breaks(mini)
    before = files(mini)
    for name, arguments in COMMANDS.items():
        done = run(mini, *arguments)
        if (name, breaks) == ("lint", unpinned):  # what can be read and is wrong is a finding, and the chain is sound
            assert (done.exit_code, done.stderr) == (1, "1 finding\n")
            assert f"block not recorded: {UNPINNED}" in done.stdout and f"{TASK}/task.toml" in done.stdout
            continue
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1), (name, done.stdout, done.stderr)
        assert [word for word in words if word not in done.stderr] == [], (name, done.stderr)
        assert "Traceback" not in done.stdout, name
        assert files(mini) == before, name


@pytest.mark.check
def test_the_same_commands_work_on_the_whole_world(mini: Path) -> None:
    """What is refused above is refused for its chain: unbroken, every command ends with 0."""
    assert [run(mini, *arguments).exit_code for arguments in COMMANDS.values()] == [0] * len(COMMANDS)
