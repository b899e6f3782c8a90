"""Behaviour of opening a snapshot folder."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_file import open_folder
from caia_replay.errors import BadInput, SealBroken


@pytest.fixture
def folder(snapshot: Snapshot, tmp_path: Path) -> Path:
    return shutil.copytree(snapshot.folder, tmp_path / "tiny")


def test_any_changed_byte_in_any_file_is_seen(folder: Path) -> None:
    """One flipped bit, anywhere, names the file and the sealing command."""
    chance = random.Random(1)
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        for at in chance.sample(range(len(data)), 12):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            with pytest.raises(BadInput, match=folder.name):
                open_folder(folder, verify=True)
        path.write_bytes(data)
    open_folder(folder, verify=True)


def test_a_missing_file_and_an_extra_file_break_the_seal(folder: Path) -> None:
    """The folder holds exactly what the manifest lists."""
    (folder / "more.parquet").write_bytes(b"")
    with pytest.raises(SealBroken, match=r"more\.parquet: is not listed.*lint --seal"):
        open_folder(folder, verify=True)
    (folder / "more.parquet").unlink()
    next(folder.glob("*__codes__*")).unlink()
    with pytest.raises(SealBroken, match=r"codes.*is missing"):
        open_folder(folder, verify=False)


def test_a_folder_that_is_none_is_bad_input(tmp_path: Path) -> None:
    """No folder, and a folder without manifest, are told apart from a broken seal by their words."""
    with pytest.raises(BadInput, match="not a snapshot folder"):
        open_folder(tmp_path / "nowhere", verify=True)
    with pytest.raises(BadInput, match=r"manifest\.json"):
        open_folder(tmp_path, verify=True)


def test_a_change_after_opening_is_seen_when_the_table_is_read(folder: Path) -> None:
    """Tables are parsed late, and their digest is checked again then."""
    opened = Snapshot.open(folder)
    path = next(folder.glob("*__blocks__*"))
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    with pytest.raises(SealBroken, match="blocks"):
        opened.header(1)
