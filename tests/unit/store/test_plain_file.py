import os
from pathlib import Path

import pytest

from caia_replay.store.plain_file import open_plain, read_plain


def test_a_plain_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    """All of it, through a link too; one byte more than allowed is an error."""
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").symlink_to("a")
    assert read_plain(tmp_path / "a", 5) == read_plain(tmp_path / "b") == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        read_plain(tmp_path / "a", 4)


def test_what_is_no_plain_file_is_an_error_at_once(tmp_path: Path) -> None:
    """Nobody writes into the pipe, and nothing waits for it; missing files say so."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="no plain file"):
            open_plain(path)
    with pytest.raises(FileNotFoundError):
        open_plain(tmp_path / "none")
