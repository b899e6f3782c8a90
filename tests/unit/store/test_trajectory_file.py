"""All runs of a cell in one file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.store.run_folder import INDEX, RECORD_FIELDS, Journal, write_json
from caia_replay.store.trajectory_file import LOOSE, TRAJECTORIES, Trajectories, write_trajectories

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


def record(task: str, attempt: int, said: str = "") -> dict[str, Any]:
    return {**dict.fromkeys(RECORD_FIELDS), "task": task, "attempt": attempt, "answer": said}


@given(st.lists(TEXT, min_size=1, max_size=6))
def test_what_is_written_is_read_and_equal_records_make_equal_bytes(
    tmp_path_factory: pytest.TempPathFactory, said: list[str]
) -> None:
    """One by one, in any order; no moment stands in the file."""
    cells = [tmp_path_factory.mktemp("cell") for _ in range(2)]
    for cell in cells:
        write_trajectories(cell, [record("t", at, text) for at, text in enumerate(said)])
    assert (cells[0] / TRAJECTORIES).read_bytes() == (cells[1] / TRAJECTORIES).read_bytes()
    with Trajectories(cells[0]) as found:
        for at in reversed(range(len(said))):
            assert found.json("t", at) == record("t", at, said[at])
        assert found.names() == [f"t/{at}.json" for at in range(len(said))]


def test_a_folder_of_the_first_edition_is_read_alike(tmp_path: Path) -> None:
    """A file a run; nothing has to be converted."""
    for cell in (tmp_path / "old", tmp_path / "new"):
        cell.mkdir()
    write_json(tmp_path / "old" / LOOSE / "t" / "1.json", record("t", 1))
    write_trajectories(tmp_path / "new", [record("t", 1)])
    with Trajectories(tmp_path / "old") as old, Trajectories(tmp_path / "new") as new:
        assert old.names() == new.names() and old.json("t", 1) == new.json("t", 1)
        assert (old.is_packed, new.is_packed) == (False, True)


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[60] ^= 255
    path.write_bytes(data)


def put(name: str, data: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with zipfile.ZipFile(path, "a") as file:
            file.writestr(name, data)

    return change


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("harm", "said"), [
    (torn, "trajectories.zip: cannot be read"), (flipped, "cannot be read"), (Path.unlink, "there is no such run"),
    (put("t/1.json", b"{}"), "two entries have one name"),
], ids=["torn", "flipped", "gone", "twice"])  # fmt: skip
def test_a_damaged_file_is_one_line(tmp_path: Path, harm: Callable[[Path], None], said: str) -> None:
    """It names the file, or the run in it."""
    write_trajectories(tmp_path, [record("t", 1, "word " * 90)])
    harm(tmp_path / TRAJECTORIES)
    with pytest.raises(BadInput, match=said), Trajectories(tmp_path) as found:
        found.json("t", 1)


@pytest.mark.parametrize("data", [b"[]", b"{", b'{"a": NaN}', b"\xff"], ids=["list", "cut", "nan", "bytes"])
def test_an_entry_that_is_no_record_is_one_line(tmp_path: Path, data: bytes) -> None:
    """JSON objects alone are records."""
    write_trajectories(tmp_path, [])
    put("t/1.json", data)(tmp_path / TRAJECTORIES)
    with pytest.raises(BadInput, match=r"t/1\.json: "), Trajectories(tmp_path) as found:
        found.json("t", 1)


def test_a_resumable_run_folder_is_taken_apart_again(tmp_path: Path) -> None:
    """Every run gets a file of its own, but those that are played again; a name that leads elsewhere is refused."""
    journal = Journal(tmp_path / "run")
    journal.start("plan", resume=False, replace=False)
    for attempt in (1, 2):
        journal.save({**record("t", attempt), "stop": ("answered", "model_fault")[attempt - 1]}, "clean-tools")
    write_trajectories(
        journal.path / "clean-tools", [journal.load("clean-tools", "t", 1), journal.load("clean-tools", "t", 2)]
    )
    write_json(journal.path / INDEX, {"cells": []})
    journal.finish(resumable=True)
    cell = tmp_path / "run" / "clean-tools"
    assert [path.name for path in cell.iterdir()] == [TRAJECTORIES]
    again = Journal(tmp_path / "run")
    again.start("plan", resume=True, replace=False)
    assert (again.has("clean-tools", "t", 1), again.has("clean-tools", "t", 2)) == (True, False)
    assert again.is_again("clean-tools", "t", 2) and not (again.path / "clean-tools" / TRAJECTORIES).exists()
    again.release()
    put("../../x.json", json.dumps(record("x", 1)).encode())(_packed(again.path / "clean-tools"))
    with pytest.raises(BadInput, match="no run's name"):
        Journal(tmp_path / "run").start("plan", resume=True, replace=False)
    assert not list(tmp_path.glob("x.json"))


def _packed(cell: Path) -> Path:
    write_trajectories(cell, [])
    return cell / TRAJECTORIES
