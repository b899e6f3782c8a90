"""Compiled modules on disk: believed only as they were written, with this user's key."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.sandbox.compiled_file import CompiledFolder

KEY = b"k" * 32
CODE = b"machine code " * 100


@pytest.fixture
def folder(tmp_path: Path) -> CompiledFolder:
    return CompiledFolder(tmp_path, KEY)


def test_what_was_kept_is_found(folder: CompiledFolder) -> None:
    """A module is found by what it was made from, and by nothing else."""
    path = folder.keep("python 1", CODE)
    assert path is not None and path.read_bytes() == CODE and path.stat().st_mode & 0o777 == 0o600
    assert folder.find("python 1") == path
    assert folder.find("python 2") is None


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: b"M" + data[1:], lambda data: data + b"x"])
def test_a_changed_file_is_not_believed(folder: CompiledFolder, change: object) -> None:
    """Cut short, changed or longer, after it was believed once too: it is removed."""
    path = folder.keep("python", CODE)
    assert path is not None and folder.find("python") == path
    path.write_bytes(change(CODE))  # type: ignore[operator]
    assert folder.find("python") is None
    assert not path.exists()


def test_a_file_of_a_stranger_is_not_believed(folder: CompiledFolder, tmp_path: Path) -> None:
    """What was sealed with another key is not found under any name, and a link is not followed."""
    theirs = CompiledFolder(tmp_path, b"t" * 32).keep("python", CODE)
    assert theirs is not None and folder.find("python") is None
    ours = folder.keep("python", CODE)
    assert ours is not None
    forged = ours.with_name(ours.name.rpartition("-")[0] + theirs.name[theirs.name.rindex("-") :])
    ours.unlink()
    forged.write_bytes(CODE)
    assert folder.find("python") is None
    (tmp_path / "elsewhere").write_bytes(CODE)
    ours.symlink_to(tmp_path / "elsewhere")
    assert folder.find("python") is None


def test_a_new_version_takes_the_place_of_the_old(folder: CompiledFolder, tmp_path: Path) -> None:
    """Only the newest module is kept, and nothing half-written stays."""
    folder.keep("python 1", CODE)
    path = folder.keep("python 2", CODE)
    assert [path] == list(tmp_path.iterdir())


def test_a_folder_that_takes_nothing_is_no_fault(tmp_path: Path) -> None:
    """Where nothing can be written nothing is kept, and the lock is done without."""
    folder = CompiledFolder(tmp_path / "missing", KEY)
    with folder.alone():
        assert folder.find("python") is None
        assert folder.keep("python", CODE) is None


def test_the_key_is_not_shown(folder: CompiledFolder) -> None:
    """The secret stands in no representation."""
    assert "kkkk" not in repr(folder)
