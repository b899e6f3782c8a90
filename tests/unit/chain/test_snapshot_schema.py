"""Behaviour of writing, reading and resealing a snapshot folder."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from caia_replay.chain.claim import Claims
from caia_replay.chain.rpc_row import encode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import (
    SnapshotInfo,
    SnapshotRows,
    StorageRow,
    read_snapshot,
    reseal,
    write_groups,
    write_snapshot,
)
from caia_replay.chain.state_row import to_cells
from caia_replay.chain.table import STORAGE, TABLES
from caia_replay.chain.table_writer import row_groups
from caia_replay.errors import BadInput, SealBroken

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


def test_what_was_written_is_read_back(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Every RPC object of the origin comes back identical."""
    write_snapshot(tmp_path / "a", info, rows)
    back_info, back = read_snapshot(tmp_path / "a")
    assert back_info == info
    assert (back.blocks, back.transactions, back.receipts, back.logs) == (
        rows.blocks, rows.transactions, rows.receipts, rows.logs,
    )  # fmt: skip


def test_an_existing_folder_is_never_written_over(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """The second write is refused and leaves the first alone."""
    write_snapshot(tmp_path / "a", info, rows)
    before = content(tmp_path / "a")
    with pytest.raises(BadInput, match="never written over"):
        write_snapshot(tmp_path / "a", info, SnapshotRows())
    assert content(tmp_path / "a") == before


def test_a_failed_write_leaves_nothing(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Contradicting rows are refused before a folder appears."""
    with pytest.raises(BadInput, match="two different rows of blocks share block_number 0"):
        write_snapshot(tmp_path / "a", info, replace(rows, blocks=[*rows.blocks, {**rows.blocks[0], "size": "0x1"}]))
    assert not list(tmp_path.iterdir())


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


def test_resealing_an_untouched_folder_changes_no_byte(tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Sealing is idempotent."""
    write_snapshot(tmp_path / "a", info, rows)
    before = content(tmp_path / "a")
    reseal(tmp_path / "a")
    assert content(tmp_path / "a") == before


def test_a_hand_edit_breaks_the_seal_until_it_is_sealed_again(
    tmp_path: Path, info: SnapshotInfo, rows: SnapshotRows
) -> None:
    """Edit, refusal, reseal, opens with the edit."""
    write_snapshot(tmp_path / "a", info, rows)
    path = tmp_path / "a" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "source": "edited"}))
    with pytest.raises(SealBroken):
        Snapshot.open(tmp_path / "a")
    reseal(tmp_path / "a")
    assert Snapshot.open(tmp_path / "a").source == "edited"


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


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, info: SnapshotInfo) -> None:
    """Whatever stops the rows on their way, neither a folder nor a temporary one stays behind."""

    def stopped() -> Iterator[pa.Table]:
        yield STORAGE.schema.empty_table()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_groups(tmp_path / "a", info, {"storage": stopped()})
    assert not list(tmp_path.iterdir())
    write_groups(tmp_path / "a", info, {})
    with pytest.raises(BadInput, match="never written over"):
        write_groups(tmp_path / "a", info, {})
