"""What is made once of a sealed world and kept between commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from caia_replay.store import private_cache
from caia_replay.store.private_cache import kept


class Maker:
    """Makes the same again and again, and counts."""

    def __init__(self, made: object = ("a", "b")) -> None:
        self.made, self.times = made, 0

    def __call__(self) -> object:
        self.times += 1
        return self.made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "caia-replay" / "made"


@pytest.mark.parametrize("harm", ["none", "empty", "cut", "changed", "code"])
def test_it_is_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    """What was damaged, or made by other code, is made again."""
    make = Maker()
    assert kept(("corpus", "1"), make) == make.made
    (path,) = folder.iterdir()
    data = path.read_bytes()
    if harm == "code":
        monkeypatch.setattr(private_cache, "_code", lambda: "other")
    elif harm != "none":
        path.write_bytes({"empty": b"", "cut": data[:-1], "changed": data[:-3] + b"x" + data[-2:]}[harm])
    assert kept(("corpus", "1"), make) == make.made
    assert make.times == 1 + (harm != "none") and path.read_bytes() == data
    assert kept(("corpus", "2"), Maker("other")) == "other"


def test_the_oldest_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more is kept than fits; what was made last stays."""
    monkeypatch.setattr(private_cache, "MOST_BYTES", 3_000)
    for number in range(5):
        kept((f"{number}",), Maker(bytes(1_000)))
    last = Maker()
    assert len([*folder.iterdir()]) == 2 and kept(("4",), last) == bytes(1_000) and last.times == 0


def test_without_a_place_it_is_made_each_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a folder of their own, or whose folder others may write, gets what was made."""
    make = Maker()
    with monkeypatch.context() as patch:
        patch.setattr(private_cache, "private_folder", lambda: None)
        assert kept(("1",), make) == kept(("1",), make) == make.made and make.times == 2
    assert kept(("1",), make) == kept(("1",), make) and make.times == 3
    folder.chmod(0o777)
    assert kept(("1",), make) == make.made and make.times == 4
    shutil.rmtree(folder)
    folder.write_text("not a folder")
    assert kept(("1",), make) == make.made and make.times == 5
