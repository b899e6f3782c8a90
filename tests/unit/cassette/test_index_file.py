"""The index on disk: its rows, its seal, and the private folder with the key."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.answer import Answer
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.index_file import Damaged, Row, open_index_file, write_index_file
from caia_replay.cassette.row_bytes import KEY_AT, read_row, row_bytes
from caia_replay.store.private_folder import KEY_BYTES, index_key, private_folder

KEY = b"k" * 32
NAME = f"w-{'0' * 64}.arrow"


def _row(key: bytes, cassette: int, content: bytes) -> Row:
    return Row(key, cassette, len(key).to_bytes(8, "little") + bytes(KEY_AT - 8) + key + content)


ROWS = st.lists(st.tuples(st.sampled_from([b"", b"a", b"b", b"c" * 300]), st.integers(0, 2)), max_size=12).map(
    lambda drawn: [_row(key, at, b"%d" % n) for n, (key, at) in enumerate(sorted(drawn, key=lambda one: one[1]))]
)


def _answers(path: Path, keys: list[bytes]) -> dict[bytes, dict[int, list[bytes]]]:
    file = open_index_file(path, KEY)
    assert [file.key_at(rank) for rank in range(file.questions)] == sorted(set(keys))
    return {
        key: {at: [file.row(row) for row in rows] for at, rows in file.find(file.hash_of(key)).items()} for key in keys
    }


def _expected(rows: list[Row]) -> dict[bytes, dict[int, list[bytes]]]:
    found: dict[bytes, dict[int, list[bytes]]] = {}
    for row in rows:
        found.setdefault(row.key, {}).setdefault(row.cassette, []).append(row.data)
    return found


@given(ROWS)
def test_what_was_written_is_found(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    """Every question by cassette, in order of precedence, then as recorded; keys sorted; and nothing else."""
    path = tmp_path_factory.getbasetemp() / NAME
    write_index_file(path, rows, KEY)
    found = _answers(path, [row.key for row in rows])
    assert found == _expected(rows)
    assert all(list(by_cassette) == sorted(by_cassette) for by_cassette in found.values())
    file = open_index_file(path, KEY)
    assert file.find(file.hash_of(b"never recorded")) == {}


@given(st.data())
def test_a_damaged_file_is_never_another_answer(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Bytes changed, cut off or added anywhere: Damaged, or exactly what was written."""
    rows = [_row(b"%d" % (n // 2), n % 2, b"answer %d" % n) for n in range(6)]
    path = tmp_path_factory.getbasetemp() / NAME
    write_index_file(path, rows, KEY)
    whole = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del whole[data.draw(st.integers(0, len(whole) - 1)) :]
    for _ in range(data.draw(st.integers(0, 3))):
        if whole:
            whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(whole)
    try:
        found = _answers(path, [row.key for row in rows])
    except Damaged:
        return
    assert found == _expected(rows)


def test_a_change_in_each_part_is_noticed(tmp_path: Path) -> None:
    """No byte of a row, of a narrow column or of the seal can be changed unseen."""
    rows = [_row(b"%d" % n, 0, b"answer %d" % n) for n in range(3)]
    path = tmp_path / NAME
    write_index_file(path, rows, KEY)
    whole, unseen = path.read_bytes(), []
    base = pa.py_buffer(whole)
    batch = pa.ipc.open_file(pa.BufferReader(base)).get_batch(0)
    parts = [(column.buffers()[1].address - base.address, 3 * width)
             for column, width in zip(batch.columns, (16, 16, 4, 8, 8, 4))]  # fmt: skip
    parts.append((batch.column("row").buffers()[2].address - base.address, sum(len(row.data) for row in rows)))
    # the schema stands at the head too, where nobody reads it
    parts.append((whole.rindex(batch.schema.metadata[b"seal"]), 64))
    for begin, size in parts:
        for place in range(begin, begin + size):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                _answers(path, [row.key for row in rows])
                unseen.append((begin, place))
            except Damaged:
                continue
    assert unseen == []


def test_an_index_under_another_name_or_key_is_not_believed(tmp_path: Path) -> None:
    """The name says what an index was made from, so a renamed one is foreign; so is one that somebody else sealed."""
    path = tmp_path / NAME
    write_index_file(path, [_row(b"a", 0, b"x")], KEY)
    other = path.with_name(NAME.replace("0", "1"))
    os.link(path, other)
    for wrong, key in ((other, KEY), (path, b"K" * 32), (tmp_path / "none.arrow", KEY), (tmp_path, KEY)):
        with pytest.raises(Damaged):
            open_index_file(wrong, key)
    link = tmp_path / "sub"
    link.mkdir()
    (link / NAME).symlink_to(path)
    with pytest.raises(Damaged):
        open_index_file(link / NAME, KEY)
    os.mkfifo(tmp_path / "fifo.arrow")
    with pytest.raises(Damaged):
        open_index_file(tmp_path / "fifo.arrow", KEY)


@pytest.mark.parametrize("damage", ["truncate", "overwrite"])
def test_a_file_damaged_while_it_is_open_raises(tmp_path: Path, damage: str) -> None:
    """Cut to nothing or overwritten in place under a reader: Damaged, not a signal and not another answer."""
    path = tmp_path / NAME
    write_index_file(path, [_row(b"a", 0, b"x" * 100_000)], KEY)
    file = open_index_file(path, KEY)
    (row,) = file.find(file.hash_of(b"a"))[0]
    with path.open("r+b") as writer:
        if damage == "truncate":
            writer.truncate(0)
        else:
            writer.write(bytes(path.stat().st_size))
    for read in (lambda: file.row(row), lambda: file.key_at(0)):
        with pytest.raises(Damaged):
            read()


def test_an_index_replaces_old_ones_of_its_world_alone(tmp_path: Path) -> None:
    """Files of other worlds and fresh unfinished ones stay; who has an old index open keeps it."""
    kept = [f"w-2-{'0' * 64}.arrow", "notes.txt", "w-short.arrow"]
    for name in kept:
        (tmp_path / name).write_bytes(b"")
    write_index_file(tmp_path / NAME, [_row(b"a", 0, b"old")], KEY)
    old = open_index_file(tmp_path / NAME, KEY)
    newer = NAME.replace("0", "1")
    write_index_file(tmp_path / newer, [_row(b"a", 0, b"new")], KEY)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, newer])
    assert old.row(0).endswith(b"old")


def test_what_a_killed_build_left_is_dropped_once_it_is_old(tmp_path: Path) -> None:
    """An unfinished file of an hour ago goes with the next build; a fresh one may be another process's work."""
    old, fresh, other = (tmp_path / name for name in (f".{'0' * 16}.partial", f".{'1' * 16}.partial", ".x.partial"))
    for path in (old, fresh, other):
        path.write_bytes(b"torn")
    for path in (old, other):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    write_index_file(tmp_path / NAME, [_row(b"a", 0, b"x")], KEY)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([fresh.name, other.name, NAME])


ANY_TEXT = st.text(st.characters(), max_size=8)  # lone surrogates too
HEADERS = st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, min_size=1, max_size=3).map(tuple), max_size=3)
ITEMS = st.builds(
    Interaction,
    method=ANY_TEXT,
    uri=ANY_TEXT,
    request_body=st.binary(max_size=20),
    request_headers=HEADERS,
    status=st.integers(100, 599),
    reason=ANY_TEXT,
    headers=HEADERS,
    body=st.binary(max_size=40),
)
IDS = st.none() | st.lists(st.none() | ANY_TEXT, min_size=1, max_size=3).map(tuple)


@given(st.binary(max_size=20), IDS, ITEMS)
def test_a_row_is_read_as_it_was_written(key, ids, item):
    """Every field comes back exactly, header order included, and the key stands where it can be read alone."""
    row = row_bytes(key, ids, item)
    answer = read_row(row, key)
    assert (answer.ids, answer.interaction) == (ids, item)
    assert list(answer.interaction.headers) == list(item.headers)
    parsed = Answer.of(item, ids)
    for name in ("status", "reason", "lines", "body", "key", "reply"):
        assert getattr(answer, name) == getattr(parsed, name)
    assert row[KEY_AT : KEY_AT + len(key)] == key


@given(ITEMS, st.data())
def test_other_bytes_are_refused_or_read_as_something(item, data):
    """A cut, longer or changed row is a ValueError at worst, whatever lengths it claims."""
    row = bytearray(row_bytes(b"key", ("1",), item))
    for _ in range(data.draw(st.integers(1, 4))):
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(0, 255))
    for damaged in (bytes(row), bytes(row[: data.draw(st.integers(0, len(row)))])):
        try:
            found = read_row(damaged, b"key").interaction
        except ValueError:
            continue
        assert isinstance(found, Interaction)
    for wrong_length in (bytes(row[:-1]), bytes(row) + b"x", b""):
        with pytest.raises(ValueError):
            read_row(wrong_length, b"key")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache and temporary folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_private_or_another_or_none(home: Path) -> None:
    """Made with no rights for others; open to others, a link or a file: the temporary folder, or none."""
    folder = private_folder()
    assert folder == home / "cache" / "caia-replay"
    assert folder is not None and folder.stat().st_mode & 0o077 == 0
    place = home / "cache" / "caia-replay"
    other = home / f"caia-replay-{os.getuid()}"
    place.mkdir(parents=True, exist_ok=True)
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
