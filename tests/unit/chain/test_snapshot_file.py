"""Behaviour of opening a snapshot folder."""

from __future__ import annotations

import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

from caia_replay.chain import manifest
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.manifest import FileSeal, SnapshotInfo
from caia_replay.chain.sealed_file import stream_digest
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_file import open_folder
from caia_replay.chain.snapshot_schema import reseal, write_groups
from caia_replay.chain.table import STORAGE
from caia_replay.errors import BadInput, SealBroken

GROUPS, ROWS = 5, 20


def slot(number: int) -> tuple[bytes, bytes, int, int, bytes]:
    """Storage row ``number``; no value is zero."""
    return (bytes([1]) * 20, number.to_bytes(32, "big"), 0, 9, (number + 1).to_bytes(32, "big"))


def group(numbers: range) -> pa.Table:
    cells = [dict(zip(STORAGE.schema.names, slot(number))) for number in numbers]
    return pa.Table.from_pylist(cells, schema=STORAGE.schema)


def complete() -> SnapshotInfo:
    claims = Claims.of([Claim("storage", 0, 9)])
    return SnapshotInfo("tiny", 7001, {0: "prague"}, ((0, 9),), "synthetic", "a test", claims)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A storage table of several row groups that says it lacks nothing."""
    size = ROWS // GROUPS
    groups = [group(range(at, at + size)) for at in range(0, ROWS, size)]
    write_groups(tmp_path / "large", complete(), {"storage": groups})
    return tmp_path / "large"


def forged(folder: Path, old: bytes, new: bytes) -> Path:
    """The folder with other bytes in the footer of its storage table, sealed as if that were its content."""
    path = next(folder.glob("*__storage__*"))
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert old in data[footer:] and len(old) == len(new)
    path.write_bytes(data[:footer] + data[footer:].replace(old, new))
    seals = {}
    for file, seal in manifest.parse((folder / "manifest.json").read_bytes(), folder).files.items():
        descriptor = os.open(folder / file, os.O_RDONLY)
        seals[file] = FileSeal(stream_digest(descriptor, file), seal.rows)
        os.close(descriptor)
    (folder / "manifest.json").write_bytes(manifest.render(complete(), seals))
    return folder


@pytest.fixture
def folder(snapshot: Snapshot, tmp_path: Path) -> Path:
    return shutil.copytree(snapshot.folder, tmp_path / "tiny")


def test_any_changed_byte_in_any_file_is_seen(folder: Path) -> None:
    """One flipped bit, anywhere, names the file and the sealing command."""
    chance = random.Random(1)
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        for at in chance.sample(range(len(data)), 12):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            with pytest.raises(BadInput, match=folder.name):
                open_folder(folder)
        path.write_bytes(data)
    open_folder(folder)


def test_a_missing_file_and_an_extra_file_break_the_seal(folder: Path) -> None:
    """The folder holds exactly what the manifest lists."""
    (folder / "more.parquet").write_bytes(b"")
    with pytest.raises(SealBroken, match=r"more\.parquet: is not listed.*lint --seal"):
        open_folder(folder)
    (folder / "more.parquet").unlink()
    next(folder.glob("*__codes__*")).unlink()
    with pytest.raises(SealBroken, match=r"codes.*is missing"):
        open_folder(folder)


def test_a_folder_that_is_none_is_bad_input(tmp_path: Path) -> None:
    """No folder, and a folder without manifest, are told apart from a broken seal by their words."""
    with pytest.raises(BadInput, match="not a snapshot folder"):
        open_folder(tmp_path / "nowhere")
    with pytest.raises(BadInput, match=r"manifest\.json"):
        open_folder(tmp_path)


def test_a_change_after_opening_is_seen_when_the_table_is_read(folder: Path) -> None:
    """Rows are decoded late, and only from the bytes that were sealed."""
    opened = Snapshot.open(folder)
    path = next(folder.glob("*__blocks__*"))
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    with pytest.raises(SealBroken, match="blocks"):
        opened.header(1)


@pytest.mark.parametrize("put_back", [False, True])
def test_a_change_between_two_lookups_is_seen(large: Path, put_back: bool) -> None:
    """What was decoded before the change is still answered; every other row group is refused from then on."""
    opened = Snapshot.open(large)
    assert opened.storage(*slot(0)[:3]) == slot(0)[4]
    path = next(large.glob("*__storage__*"))
    times = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    if put_back:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert opened.storage(*slot(1)[:3]) == slot(1)[4]
    for number in range(ROWS // GROUPS, ROWS):
        with pytest.raises(SealBroken, match=r"storage.*was changed"):
            opened.storage(*slot(number)[:3])


def test_a_truncated_table_is_refused_and_kills_nobody(large: Path) -> None:
    """A file cut short under an open snapshot is a broken seal, at once and later."""
    opened = Snapshot.open(large)
    os.truncate(next(large.glob("*__storage__*")), 300)
    for number in (0, ROWS - 1):
        with pytest.raises(SealBroken, match="storage"):
            opened.storage(*slot(number)[:3])


def test_no_statistics_make_a_recorded_slot_zero(large: Path) -> None:
    """Any boundary of any row group replaced by any other slot in the footer: each row reads as it is."""
    size = ROWS // GROUPS
    source = random.Random(1)
    untouched = {path.name: path.read_bytes() for path in large.iterdir()}
    edges = [number for at in range(0, ROWS, size) for number in (at, at + size - 1)]
    for edge in edges:
        opened = Snapshot.open(forged(large, slot(edge)[1], slot(source.randrange(ROWS + 9))[1]))
        for number in range(ROWS):
            assert opened.storage(*slot(number)[:3]) == slot(number)[4]
        assert opened.storage(slot(0)[0], slot(ROWS)[1], 4) == bytes(32)
        for name, data in untouched.items():
            (large / name).write_bytes(data)


@pytest.mark.parametrize("numbers", [[range(20, 30), range(10)], [range(9, -1, -1)], [range(5), range(4, 9)]])
def test_rows_out_of_order_are_refused_until_they_are_sealed_anew(tmp_path: Path, numbers: list[range]) -> None:
    """A sealed table that is not sorted does not open: a lookup could miss a row that is there. Sealing sorts it."""
    write_groups(tmp_path / "a", complete(), {"storage": [group(some) for some in numbers]})
    with pytest.raises(BadInput, match=r"row group \d of storage.*lint --seal"):
        Snapshot.open(tmp_path / "a")
    reseal(tmp_path / "a")
    opened = Snapshot.open(tmp_path / "a")
    for number in {number for some in numbers for number in some}:
        assert opened.storage(*slot(number)[:3]) == slot(number)[4]


def test_threads_share_one_snapshot(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many threads in random order, with room for a single decoded group, each get their own slot's value."""
    monkeypatch.setattr("caia_replay.chain.group_cache.CACHE_BYTES", 1)
    opened = Snapshot.open(large)

    def work(seed: int) -> bool:
        order = random.Random(seed).choices(range(ROWS), k=400)
        return all(opened.storage(*slot(number)[:3]) == slot(number)[4] for number in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
