"""Snapshot folders: written, read, resealed, opened, and refused when a byte differs."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from caia_replay.chain import manifest
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.manifest import FileSeal, SnapshotInfo
from caia_replay.chain.rpc_row import encode
from caia_replay.chain.sealed_file import stream_digest
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_file import open_folder
from caia_replay.chain.snapshot_schema import (
    SnapshotRows,
    StorageRow,
    read_snapshot,
    reseal,
    write_groups,
    write_snapshot,
)
from caia_replay.chain.state_row import to_cells
from caia_replay.chain.table import STORAGE, TABLES
from caia_replay.chain.table_file import row_groups
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
def large(tmp_path: Path) -> Path:
    """A storage table of several row groups that says it lacks nothing."""
    size = ROWS // GROUPS
    groups = [group(range(at, at + size)) for at in range(0, ROWS, size)]
    write_groups(tmp_path / "large", complete(), {"storage": groups})
    return tmp_path / "large"


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


def test_folders_hold_what_the_manifest_lists_and_are_told_from_none(folder: Path, tmp_path: Path) -> None:
    """Missing and extra files break the seal; no folder and no manifest have words of their own."""
    (folder / "more.parquet").write_bytes(b"")
    with pytest.raises(SealBroken, match=r"more\.parquet: is not listed.*lint --seal"):
        open_folder(folder)
    (folder / "more.parquet").unlink()
    next(folder.glob("*__codes__*")).unlink()
    with pytest.raises(SealBroken, match=r"codes.*is missing"):
        open_folder(folder)
    with pytest.raises(BadInput, match="not a snapshot folder"):
        open_folder(tmp_path / "nowhere")
    with pytest.raises(BadInput, match=r"manifest\.json"):
        open_folder(tmp_path)


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


def test_threads_share_one_snapshot(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many threads in random order, with room for a single decoded group, each get their own slot's value."""
    monkeypatch.setattr("caia_replay.chain.row_group.CACHE_BYTES", 1)
    opened = Snapshot.open(large)

    def work(seed: int) -> bool:
        order = random.Random(seed).choices(range(ROWS), k=400)
        return all(opened.storage(*slot(number)[:3]) == slot(number)[4] for number in order)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


LAST = 6


@pytest.fixture
def info() -> SnapshotInfo:
    return SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_rows_in_any_order_give_the_same_bytes(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Row order and repeats do not reach the disk."""
    mixed = random.Random(5)
    shuffled = SnapshotRows(**{
        name: mixed.sample(items, len(items)) + items[:1]
        for name in ("blocks", "transactions", "receipts", "logs", "accounts", "storage", "codes")
        for items in [getattr(rows, name)]
    })  # fmt: skip
    write_snapshot(tmp_path / "a", info, rows)
    write_snapshot(tmp_path / "b", info, shuffled)
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert "tiny__blocks__00000000_to_00000006.parquet" in content(tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_what_was_written_is_read_back_and_a_hand_edit_is_refused_until_sealed(
    tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows
) -> None:
    """Every RPC object comes back identical; edit, refusal, reseal, opens with the edit."""
    write_snapshot(tmp_path / "a", info, rows)
    back_info, back = read_snapshot(tmp_path / "a")
    assert back_info == info
    assert (back.blocks, back.transactions, back.receipts, back.logs) == (
        rows.blocks, rows.transactions, rows.receipts, rows.logs,
    )  # fmt: skip
    path = tmp_path / "a" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "source": "edited"}))
    with pytest.raises(SealBroken):
        Snapshot.open(tmp_path / "a")
    reseal(tmp_path / "a")
    assert Snapshot.open(tmp_path / "a").source == "edited"


def test_an_interrupted_or_failed_write_leaves_nothing(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Whatever stops the rows, contradictions among them, no folder stays behind, and none is written over."""
    with pytest.raises(BadInput, match="two different rows of blocks share block_number 0"):
        write_snapshot(tmp_path / "a", info, replace(rows, blocks=[*rows.blocks, {**rows.blocks[0], "size": "0x1"}]))
    assert not list(tmp_path.iterdir())

    def stopped() -> Iterator[pa.Table]:
        yield STORAGE.schema.empty_table()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_groups(tmp_path / "a", info, {"storage": stopped()})
    assert not list(tmp_path.iterdir())
    write_groups(tmp_path / "a", info, {})
    with pytest.raises(BadInput, match="never written over"):
        write_groups(tmp_path / "a", info, {})


@pytest.mark.parametrize("name", ["blocks", "transactions", "receipts"])
def test_a_hash_of_two_rows_is_refused(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows, name: str) -> None:
    """A lookup by hash would find one of them only; nothing is written, nor is a folder with both sealed anew."""
    number, own = ("number", "hash") if name == "blocks" else ("blockNumber", "hash")
    own = "transactionHash" if name == "receipts" else own
    items = getattr(rows, name)
    more = [*items, {**items[-1], own: items[0][own], number: hex(10**6)}]
    unclaimed = replace(info, claims=Claims())
    with pytest.raises(
        BadInput, match=rf"two rows of {name}, in blocks \d and 1000000, share \w+_hash {items[0][own]}"
    ):
        write_snapshot(tmp_path / "a", unclaimed, replace(rows, **{name: more}))
    assert not list(tmp_path.iterdir())
    cells = [encode(TABLES[name], item) for item in more]
    write_groups(tmp_path / "b", unclaimed, {name: row_groups(cells, TABLES[name])})
    with pytest.raises(BadInput, match=f"two rows of {name}"):
        reseal(tmp_path / "b")
    with pytest.raises(BadInput, match=f"row group 0 of {name} holds the"):
        look_up = {"blocks": "number_of", "transactions": "transaction", "receipts": "receipt"}[name]
        getattr(Snapshot.open(tmp_path / "b"), look_up)(bytes(32), 10**6)


@pytest.mark.parametrize("damage", ["truncate", "swap", "stray", "none"])
def test_reseal_refuses_what_it_cannot_parse(
    tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows, damage: str
) -> None:
    """A file that is not its table, or not part of a snapshot, is named; nothing is replaced."""
    folder = tmp_path / "a"
    write_snapshot(folder, info, rows)
    blocks = next(folder.glob("*__blocks__*"))
    if damage == "truncate":
        blocks.write_bytes(blocks.read_bytes()[:-40])
    elif damage == "swap":
        blocks.write_bytes(next(folder.glob("*__logs__*")).read_bytes())
    elif damage == "stray":
        (folder / "notes.txt").write_text("x")
    else:
        folder = tmp_path / "missing"
    with pytest.raises(BadInput):
        reseal(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def many() -> list[StorageRow]:
    """More rows than one row group takes."""
    return [
        StorageRow(at.to_bytes(20, "big"), slot.to_bytes(32, "big"), 1, LAST, (at + 1).to_bytes(32, "big"))
        for at in range(90)
        for slot in range(100)
    ]


def test_a_large_table_is_the_same_in_any_order_and_on_any_way(tmp_path: Path, info: SnapshotInfo) -> None:
    """Rows as objects in any order, and row groups that are sorted already, give the same bytes; reseal keeps them."""
    rows = many()
    write_snapshot(tmp_path / "a", info, SnapshotRows(storage=random.Random(3).sample(rows, len(rows))))
    write_groups(tmp_path / "b", info, {"storage": row_groups(to_cells("storage", rows), STORAGE)})
    before = content(tmp_path / "a")
    assert before == content(tmp_path / "b")
    reseal(tmp_path / "a")
    assert content(tmp_path / "a") == before
    assert read_snapshot(tmp_path / "a")[1].storage == rows
    opened = Snapshot.open(tmp_path / "a")
    for row in random.Random(4).sample(rows, 50):
        assert opened.storage(row.address, row.slot, LAST) == row.value
