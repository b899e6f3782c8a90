import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caia_replay.cassette.private_folder import KEY_BYTES, index_key, private_folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache and temporary folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_in_the_users_cache_and_closed_to_others(home: Path) -> None:
    """It is made with no rights for anybody else."""
    folder = private_folder()
    assert folder == home / "cache" / "caia-replay"
    assert folder is not None and folder.stat().st_mode & 0o077 == 0


def test_a_folder_others_can_write_is_not_private(home: Path) -> None:
    """Open to others, a link, or a file: the temporary folder is used instead, and without one there is none."""
    place = home / "cache" / "caia-replay"
    other = home / f"caia-replay-{os.getuid()}"
    place.mkdir(parents=True)
    place.chmod(0o777)
    assert private_folder() == other
    place.rmdir()
    place.symlink_to(home)
    assert private_folder() == other
    other.rmdir()
    other.write_bytes(b"")
    assert private_folder() is None
    assert index_key(None) is None


def test_all_who_ask_at_once_get_one_key(home: Path) -> None:
    """The first key drawn is everybody's, and it is kept for the next time, readable by its owner alone."""
    folder = private_folder()
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: index_key(folder), range(32)))
    assert keys == {index_key(private_folder())} and len(keys.pop() or b"") == KEY_BYTES
    assert folder is not None and [path.name for path in folder.iterdir()] == ["index-key"]
    assert (folder / "index-key").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_key_is_replaced(home: Path) -> None:
    """Short, readable by others, or a link to what somebody else chose: a new key is drawn."""
    folder = private_folder()
    assert folder is not None
    known, path = b"k" * KEY_BYTES, folder / "index-key"
    (home / "elsewhere").write_bytes(known)
    (home / "elsewhere").chmod(0o600)
    path.symlink_to(home / "elsewhere")
    assert index_key(folder) not in (None, known)
    path.write_bytes(known[1:])
    assert len(index_key(folder) or b"") == KEY_BYTES
    path.write_bytes(known)
    assert index_key(folder) == known
    path.chmod(0o644)
    assert index_key(folder) not in (None, known)
