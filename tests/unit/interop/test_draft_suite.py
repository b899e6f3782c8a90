"""Folders that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.draft_suite import require_free, write_folder


def test_a_folder_appears_with_everything_in_it(tmp_path: Path) -> None:
    """Files and folders, and nothing is left beside it."""
    write_folder(tmp_path / "deep" / "out", {"a.toml": b"1", "tasks/x/b.toml": b"2"})
    assert (tmp_path / "deep" / "out" / "tasks" / "x" / "b.toml").read_bytes() == b"2"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Neither the folder nor its beginning."""
    with pytest.raises(BadInput):
        write_folder(tmp_path / "out", {"a": b"1", "a/b": b"2"})
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    """Somebody made it first."""
    (tmp_path / "out").mkdir()
    write_folder(tmp_path / "out", {"a": b"1"})
    assert (tmp_path / "out" / "a").read_bytes() == b"1"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """A folder with something, a file, a link, a sealed world, and names that are none."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "sealed").mkdir()
    (tmp_path / "sealed" / "seal.json").write_text("{}")
    for name in ("full", "file", "link", "sealed/in", "a b", ".hidden", ".."):
        with pytest.raises(BadInput):
            require_free(tmp_path / name)
    assert (tmp_path / "full" / "x").read_text() == "mine"
