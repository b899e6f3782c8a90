"""A snapshot put in its place: whole or not at all, whatever stops it, and one recording at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.chain.snapshot_schema import AccountRow, SnapshotRows
from caia_replay.errors import BadInput
from caia_replay.recording import snapshot_swap
from caia_replay.recording.snapshot_swap import held, staging, swap_in, tell_changes


def snapshot(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(text)
    return folder


def test_a_staged_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    """First in an empty place, then over another; equal ones are left alone; nothing lies beside it."""
    place = tmp_path / "chains" / "toy"
    for text, written in (("a", True), ("b", True), ("b", False)):
        place.parent.mkdir(exist_ok=True)
        with staging(place) as staged:
            snapshot(staged, text)
            assert swap_in(staged, place) is written
        assert (place / "manifest.json").read_text() == text
        assert [path.name for path in place.parent.iterdir()] == ["toy"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError, MemoryError])
def test_a_swap_that_is_stopped_brings_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """Between the two renames anything may happen."""
    place = snapshot(tmp_path / "toy", "old")
    rename = snapshot_swap._rename

    def stopped(source: Path, target: Path) -> None:
        if target == place:
            raise stop
        rename(source, target)

    monkeypatch.setattr(snapshot_swap, "_rename", stopped)
    with pytest.raises(stop), staging(place) as staged:
        swap_in(snapshot(staged, "new"), place)
    assert (place / "manifest.json").read_text() == "old" and [*tmp_path.iterdir()] == [place]


def test_what_a_kill_left_is_put_right(tmp_path: Path) -> None:
    """Killed between the renames: the old snapshot comes back; killed elsewhere: the leftovers go."""
    place, lock = tmp_path / "toy", tmp_path / "lock"
    snapshot(tmp_path / ".toy.0a.old", "old")
    snapshot(tmp_path / ".toy.0a.staged", "new")
    with held(place, lock):
        assert (place / "manifest.json").read_text() == "old"
    snapshot(tmp_path / ".toy.0b.old", "older")
    snapshot(tmp_path / ".toy.0b.tmp", "half")
    snapshot(tmp_path / ".other.0b.staged", "another chain's")
    with held(place, lock):
        assert (place / "manifest.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.0b.staged", "lock", "toy"]


def test_one_recording_at_a_time(tmp_path: Path) -> None:
    """The second into the same snapshot is refused, and may come when the first is done."""
    place, lock = tmp_path / "toy", tmp_path / "deep" / "lock"
    refused = pytest.raises(BadInput, match="another recording into this snapshot")
    with held(place, lock), refused, held(place, lock):
        pass
    with held(place, lock):
        pass


def test_changes_are_told_by_key_and_long_lists_are_cut() -> None:
    """Forty of each kind, the rest as a number, then the counts."""
    old = SnapshotRows(accounts=[AccountRow(bytes([n]) * 20, 5, 5, n, 0, bytes(32)) for n in range(100)])
    new = SnapshotRows(accounts=[AccountRow(bytes([n]) * 20, 5, 5, n + 1, 0, bytes(32)) for n in range(50)])
    said: list[str] = []
    tell_changes(old, new, said.append)
    assert len(said) == 83
    assert said[0] == f"changed: accounts 0x{'00' * 20} at block 5 balance: 0 -> 1"
    assert (
        said[40] == "changed: 10 more" and said[41] == f"gone: accounts 0x{'32' * 20}" and said[81] == "gone: 10 more"
    )
    assert said[82] == "50 differences; rows: accounts 100 -> 50"
