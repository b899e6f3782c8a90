import multiprocessing
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette import index as index_module
from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, MemoryStore, Recordings
from caia_replay.errors import BadInput, Miss

HOST = "https://h.example"
CALL = b'{"jsonrpc": "2.0", "id": %d, "method": "m%d"}'
BIG = b'{"n": %d}'


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def _item(question: int, answer: int, kind: str = "get") -> Interaction:
    method, body = {
        "get": ("GET", b""),
        "rpc": ("POST", CALL % (answer, question)),
        "big": ("POST", BIG % (2**64 + question)),
    }[kind]
    said = f'{{"id": {answer}, "jsonrpc": "2.0", "result": "价 {answer}"}}'.encode()
    headers = {"X-A": ("1", "é"), "content-type": ("application/json",)}
    return Interaction(method, f"{HOST}/{question}?a=&b=1", body, {"accept": ("x",)}, 200 + answer, "OK", headers, said)


ITEMS = st.lists(
    st.builds(_item, st.integers(0, 3), st.integers(0, 9), st.sampled_from(["get", "rpc", "big"])), max_size=8
)
ASKED = st.lists(
    st.builds(_item, st.integers(0, 4), st.integers(0, 9), st.sampled_from(["get", "rpc", "big"])), max_size=25
)


def _files(folder: Path, cassettes: list[list[Interaction]]) -> list[Path]:
    paths = [folder / f"{at}.json" for at in range(len(cassettes))]
    for path, items in zip(paths, cassettes):
        write_cassette(path, items)
    return paths


def _index(folder: Path, paths: list[Path]) -> CassetteIndex:
    return CassetteIndex([Source.of(path) for path in paths], folder / ".cache" / "http", "w")


def _in_memory(paths: list[Path], own: Path | None) -> Recordings:
    shared = Recordings([Cassette.open(path) for path in paths])
    return shared if own is None else Recordings.over(MemoryStore([Cassette.open(own)], shared.store), shared.names)


def _outcomes(recordings: Recordings, asked: list[Interaction], cursor: Cursor) -> list[object]:
    found: list[object] = []
    for item in asked:
        try:
            answer, ids = recordings.find(item.method, item.uri, item.request_body, cursor)
            found.append((answer.interaction, answer.ids, answer.reply_to(ids)))
        except Miss as miss:
            found.append(miss.detail)
    return found


@given(st.lists(ITEMS, max_size=3), ASKED, st.data())
def test_an_index_answers_as_the_parsed_cassettes_do(
    tmp_path_factory: pytest.TempPathFactory,
    cassettes: list[list[Interaction]],
    asked: list[Interaction],
    data: st.DataObject,
) -> None:
    """For any cassettes, any task's own among them and any requests: same answers, misses, order and questions."""
    folder = tmp_path_factory.mktemp("law")
    paths = _files(folder, cassettes)
    own = data.draw(st.sampled_from([None, *paths]))
    expected = _in_memory(paths, own)
    cursors = Cursor(), Cursor(), Cursor()
    for _ in range(2):  # built, then opened
        index = _index(folder, paths)
        assert index.path is not None
        indexed = Recordings.over(index.store(own), expected.names)
        assert _outcomes(indexed, asked, cursors[1]) == _outcomes(expected, asked, cursors[0])
        assert [*indexed.requests()] == [*expected.requests()]
        assert len(indexed) == len(expected)
        assert indexed.unplayed(cursors[1]) == expected.unplayed(cursors[0])
    # a run of its own starts at the beginning, whatever others played
    assert _outcomes(indexed, asked, cursors[2]) == _outcomes(_in_memory(paths, own), asked, Cursor())


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def _shift(path: Path) -> None:
    """The tables as they were, the rows moved: what a copy cut and filled up would be."""
    data = path.read_bytes()
    at = data.index(b"GET\nhttps") if b"GET\nhttps" in data else len(data) // 2
    path.write_bytes(data[:at] + b"x" + data[at:-1])


DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: os.truncate(path, 0),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "flipped": _flip,
    "shifted": _shift,
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "removed": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("is_open", [False, True])
def test_a_damaged_index_never_gives_another_answer(
    tmp_path: Path, damage: Callable[[Path], object], is_open: bool
) -> None:
    """Before it is opened or while it is open, in the midst of a run: answers and misses are those of the cassettes."""
    cassettes = [[_item(q, n, "rpc") for q in range(3) for n in range(3)], [_item(q, 7) for q in range(6)]]
    paths = _files(tmp_path, cassettes)
    index = _index(tmp_path, paths)
    asked = [_item(q, n, kind) for n in range(4) for q in range(7) for kind in ("rpc", "get")]
    expected = _in_memory(paths, None)
    cursors = Cursor(), Cursor()
    assert index.path is not None
    if is_open:
        half = asked[:3]
        assert _outcomes(Recordings.over(index.store(), expected.names), half, cursors[1]) == _outcomes(
            expected, half, cursors[0]
        )
    damage(index.path)
    if not is_open:
        index = _index(tmp_path, paths)
    indexed = Recordings.over(index.store(), expected.names)
    assert _outcomes(indexed, asked, cursors[1]) == _outcomes(expected, asked, cursors[0])
    assert [*indexed.requests()] == [*expected.requests()]
    healed = _index(tmp_path, paths)
    assert healed.path is not None and healed.path.exists()


def test_an_index_damaged_while_open_does_not_hide_a_changed_cassette(tmp_path: Path) -> None:
    """When file and cassette both changed under a run, the run stops: it must not go on in another world."""
    paths = _files(tmp_path, [[_item(0, 0)]])
    index = _index(tmp_path, paths)
    assert index.path is not None
    os.truncate(index.path, 0)
    write_cassette(paths[0], [_item(0, 1)])
    with pytest.raises(BadInput, match="changed after its digest was checked"):
        Recordings.over(index.store(), ("w",)).play("GET", f"{HOST}/0?a=&b=1", b"", Cursor())


def test_a_forged_index_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that came with a stranger's world, whole and sealed with the stranger's key, is built anew."""
    paths = _files(tmp_path, [[_item(0, 0)]])
    lying = _files(tmp_path / "lie", [[_item(0, 1)]])
    url, ours = f"{HOST}/0?a=&b=1", _index(tmp_path, paths).path
    with monkeypatch.context() as stranger:
        stranger.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
        stranger.setattr(Source, "open", lambda self: Cassette.open(lying[0]))
        forged = _index(tmp_path, paths)
        assert ours is not None and forged.path is not None
        assert Recordings.over(forged.store(), ()).play("GET", url, b"", Cursor()).status == 201
    assert forged.path.parent == ours.parent and forged.path != ours
    forged.path.replace(ours)  # the stranger cannot know the name; believe it still less
    opened = _index(tmp_path, paths)
    assert opened.path == ours and Recordings.over(opened.store(), ()).play("GET", url, b"", Cursor()).status == 200


def test_another_cassette_another_index(tmp_path: Path) -> None:
    """An edited cassette and another order each get their own; the old file goes."""
    paths = _files(tmp_path, [[_item(0, 0)], [_item(0, 1)]])
    url, seen = f"{HOST}/0?a=&b=1", []
    for order in (paths, paths[::-1]):
        seen.append(Recordings.over(_index(tmp_path, order).store(), ()).play("GET", url, b"", Cursor()).status)
    write_cassette(paths[0], [_item(0, 5)])
    seen.append(Recordings.over(_index(tmp_path, paths).store(), ()).play("GET", url, b"", Cursor()).status)
    assert seen == [200, 201, 205]
    assert [path.name for path in (tmp_path / ".cache" / "http").iterdir()] == [_index(tmp_path, paths).path.name]  # type: ignore[union-attr]


def test_where_no_index_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that cannot be written, or that is a link, means the private folder, and without one, memory."""
    paths = _files(tmp_path, [[_item(0, 0)]])
    place, url = tmp_path / ".cache", f"{HOST}/0?a=&b=1"
    outside = tmp_path / "outside"
    outside.mkdir()

    def status() -> int:
        return Recordings.over(index.store(), ()).play("GET", url, b"", Cursor()).status

    place.symlink_to(outside)
    index = _index(tmp_path, paths)
    assert index.path is not None and tmp_path / "home" in index.path.parents and status() == 200
    assert not any(outside.iterdir())
    place.unlink()
    place.write_bytes(b"a file where the folder should be")
    index = _index(tmp_path, paths)
    assert index.path is not None and tmp_path / "home" in index.path.parents and status() == 200
    monkeypatch.setattr(index_module, "private_folder", lambda: None)
    index = _index(tmp_path, paths)
    assert index.path is None and status() == 200 and len(index) == 1


def _build(folder: str, paths: list[str], home: str) -> int:
    os.environ["XDG_CACHE_HOME"] = home
    index = _index(Path(folder), [Path(path) for path in paths])
    return sum(1 for _ in Recordings.over(index.store(), ()).requests()) if index.path is not None else -1


@pytest.mark.check
def test_processes_that_build_at_once(tmp_path: Path) -> None:
    """Six processes meet without an index and without a key: all read everything, and one file is left."""
    paths = _files(tmp_path, [[_item(q, n) for q in range(4) for n in range(50)] for _ in range(2)])
    arguments = [(str(tmp_path), [str(path) for path in paths], str(tmp_path / "home"))] * 6
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.starmap(_build, arguments, chunksize=1) == [200] * 6
    assert len([*(tmp_path / ".cache" / "http").iterdir()]) == 1


def test_threads_share_an_index_and_no_cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight runs in threads play every sequence from its start, while answers are dropped and read again."""
    monkeypatch.setattr(index_module, "KEPT_BYTES", 10_000)
    paths = _files(tmp_path, [[_item(q, n) for q in range(8) for n in range(9)] for _ in range(2)])
    index = _index(tmp_path, paths)
    asked = [_item(q, 0) for _ in range(10) for q in range(8)]
    expected = [_outcomes(_in_memory(paths, own), asked, Cursor()) for own in (None, paths[1])]
    seen: list[bool] = []

    def run(at: int) -> None:
        own = [None, paths[1]][at % 2]
        names = _in_memory(paths, own).names
        seen.append(_outcomes(Recordings.over(index.store(own), names), asked, Cursor()) == expected[at % 2])

    threads = [threading.Thread(target=run, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 8


def test_the_answers_kept_ready_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are dropped, the account balances, and a large answer alone is still kept."""
    monkeypatch.setattr(index_module, "KEPT_BYTES", 20_000)
    paths = _files(tmp_path, [[_item(q, 1) for q in range(50)]])
    index = _index(tmp_path, paths)
    recordings = Recordings.over(index.store(), ())
    for _ in range(2):
        for question in range(50):
            assert recordings.play("GET", f"{HOST}/{question}?a=&b=1", b"", Cursor()).status == 201
            assert index._weight == sum(found.weight for found in index._known.values()) <= 20_000
    assert 1 < len(index._known) < 50


def test_a_bad_cassette_is_refused_and_leaves_no_index(tmp_path: Path) -> None:
    """Opening stays strict: one line that names the file, with or without an index of better days."""
    paths = _files(tmp_path, [[_item(0, 0)]])
    index = _index(tmp_path, paths)
    paths[0].write_text("{}")
    with pytest.raises(BadInput, match=r"0\.json"):
        _index(tmp_path, paths)
    paths[0].unlink()
    with pytest.raises(BadInput, match="cannot read"):
        _index(tmp_path, paths)
    assert index.path is not None and [*index.path.parent.iterdir()] == [index.path]


def test_binary_bodies_come_from_the_index_too(tmp_path: Path) -> None:
    """A body that a cassette keeps in a side file is in the index like any other."""
    item = replace(_item(0, 0), body=bytes(range(256)))
    paths = _files(tmp_path, [[item]])
    assert [path.name for path in tmp_path.glob("**/*.bin")]
    for _ in range(2):
        recordings = Recordings.over(_index(tmp_path, paths).store(), ())
        assert recordings.play("GET", item.uri, b"", Cursor()).body == bytes(range(256))
