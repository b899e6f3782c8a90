import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette import side_file
from caia_replay.cassette.side_file import is_text, read_side_file, side_files, side_name, strays, write_side_files
from caia_replay.errors import BadInput

BODY = b"\x89PNG\xff"


def _written(folder, body=BODY):
    write_side_files(folder, [body])
    return folder / side_name(body)


@given(st.binary(max_size=40))
def test_a_body_is_text_or_has_one_file(body):
    """Text needs no file; anything else has one, named after its bytes."""
    found = side_files([body, body])
    assert found == ({} if is_text(body) else {side_name(body): body})


def test_what_is_written_is_read(tmp_path):
    """Equal bodies share a file, text writes none, and nothing but the files is left."""
    write_side_files(tmp_path, [BODY, BODY, b"text", b"", b"\xff"])
    assert [read_side_file(tmp_path, side_name(body)) for body in (BODY, b"\xff")] == [BODY, b"\xff"]
    assert sorted(f"bodies/{path.name}" for path in (tmp_path / "bodies").iterdir()) == list(
        side_files([BODY, b"\xff"])
    )
    write_side_files(tmp_path, [BODY])


def test_other_bytes_than_the_name_promises_are_refused(tmp_path):
    """When reading, and when about to write beside them."""
    path = _written(tmp_path)
    path.write_bytes(BODY + b"\x00")
    for act in (lambda: read_side_file(tmp_path, side_name(BODY)), lambda: write_side_files(tmp_path, [BODY])):
        with pytest.raises(BadInput, match="not those that the file's name promises"):
            act()


def test_links_and_oddities_are_refused(tmp_path):
    """A linked file, a linked folder, a folder and a pipe in place of a file, and nothing at all."""
    path = _written(tmp_path / "a")
    name = side_name(BODY)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "bodies").symlink_to(path.parent, target_is_directory=True)
    for act in (lambda: read_side_file(tmp_path / "b", name), lambda: write_side_files(tmp_path / "b", [b"\xfe"])):
        with pytest.raises(BadInput):
            act()
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    held = path.rename(tmp_path / "held")
    for make in (lambda: path.symlink_to(held), path.mkdir, lambda: os.mkfifo(path), lambda: None):
        make()
        with pytest.raises(BadInput, match="bodies"):
            read_side_file(tmp_path / "a", name)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def test_size_is_bounded(tmp_path, monkeypatch):
    """Over the limit neither read nor written; at the limit both."""
    _written(tmp_path)
    assert read_side_file(tmp_path, side_name(BODY), limit_bytes=len(BODY)) == BODY
    with pytest.raises(BadInput, match="more than 4 bytes"):
        read_side_file(tmp_path, side_name(BODY), limit_bytes=4)
    monkeypatch.setattr(side_file, "MAX_BODY_BYTES", 4)
    with pytest.raises(BadInput, match="more than 4"):
        write_side_files(tmp_path / "b", [BODY])


def test_text_in_a_side_file_is_refused(tmp_path):
    """One body has one place."""
    (tmp_path / "bodies").mkdir()
    (tmp_path / side_name(b"text")).write_bytes(b"text")
    with pytest.raises(BadInput, match="text belongs in the cassette"):
        read_side_file(tmp_path, side_name(b"text"))


@pytest.mark.parametrize("name", ["", "bodies/", "../x", f"bodies/{'A' * 64}.bin", f"bodies/{'a' * 64}.bin\n",
                                  f"bodies//{'a' * 64}.bin", f"./bodies/{'a' * 64}.bin"])  # fmt: skip
def test_a_name_has_one_form(tmp_path, name):
    """Anything else never reaches the disk."""
    with pytest.raises(BadInput, match="not the name of a side file"):
        read_side_file(tmp_path, name)


def test_strays_are_what_nobody_refers_to(tmp_path):
    """A body without a cassette and a file of another kind are told; a folder without bodies has none."""
    kept = _written(tmp_path)
    stray = _written(tmp_path, b"\xfe")
    (tmp_path / "bodies" / "note.txt").write_text("x")
    assert strays(tmp_path, [f"bodies/{kept.name}"]) == sorted([stray, tmp_path / "bodies" / "note.txt"])
    assert strays(tmp_path / "none", []) == []
