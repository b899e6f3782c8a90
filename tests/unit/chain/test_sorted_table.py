"""Behaviour of lookups over row groups, whatever the statistics of the file say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay import canonical
from caia_replay.chain.row_group import GroupCache
from caia_replay.chain.sealed_file import SealedFile
from caia_replay.chain.sorted_table import SortedTable
from caia_replay.chain.table import ACCOUNTS
from caia_replay.chain.table_file import TableFile
from caia_replay.errors import BadInput

Key = tuple[bytes, int]
ORDER = ("address", "from_block")
ADDRESSES = [bytes([at]) * 20 for at in (0, 1, 2, 128, 255)]
KEYS = st.tuples(st.sampled_from(ADDRESSES), st.sampled_from([0, 1, 2, 5, 2**63, 2**64 - 1]))
SETTINGS = st.sampled_from([{}, {"write_statistics": False}, {"write_statistics": ["address"]}])


def accounts(keys: list[Key]) -> pa.Table:
    """One row for each key; its code hash is the key's digest."""
    cells = [
        {"address": a, "from_block": b, "to_block": b, "balance": bytes(32), "nonce": 7, "code_hash": mark((a, b))}
        for a, b in keys
    ]
    return pa.Table.from_pylist(cells, schema=ACCOUNTS.schema)


def mark(key: Key) -> bytes:
    return bytes.fromhex(canonical.digest([key[0].hex(), key[1]])[7:])


@contextmanager
def written_tables(groups: list[pa.Table], lie: dict[bytes, bytes] | None = None, **how: Any) -> Iterator[TableFile]:
    """A real file of these row groups; ``lie`` replaces bytes of its footer, where the statistics are."""
    with TemporaryDirectory() as root:
        path = Path(root) / "accounts.parquet"
        with pq.ParquetWriter(path, ACCOUNTS.schema, write_page_checksum=True, **how) as writer:
            for content in groups:
                writer.write_table(content)
        data = path.read_bytes()
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        tail = data[footer:]
        for old, new in (lie or {}).items():
            assert len(old) == len(new)
            tail = tail.replace(old, new)
        path.write_bytes(data[:footer] + tail)
        yield TableFile(SealedFile(path, canonical.digest_bytes(path.read_bytes())), "accounts")


def written(groups: list[list[Key]], lie: dict[bytes, bytes] | None = None, **how: Any) -> Any:
    """The same of rows by their keys."""
    return written_tables([accounts(keys) for keys in groups], lie, **how)


def intervals(groups: list[list[tuple[bytes, int, int]]]) -> Any:
    """The same of rows by address, first and last block."""
    to_block = ACCOUNTS.schema.get_field_index("to_block")
    tables = []
    for spans in groups:
        ends = pa.array([last for _, _, last in spans], pa.uint64())
        content = accounts([(address, first) for address, first, _ in spans])
        tables.append(content.set_column(to_block, ACCOUNTS.schema.field(to_block), ends))
    return written_tables(tables)


def cut(keys: list[Key], size: int) -> list[list[Key]]:
    return [keys[at : at + size] for at in range(0, len(keys), size)]


def check_places(table: SortedTable, keys: list[Key], wanted: list[Key]) -> None:
    for key in wanted:
        for names, part in ((ORDER, key), (ORDER[:1], key[:1])):
            left, right = table.left(names, part), table.right(names, part)
            assert left == sum(held[: len(part)] < part for held in keys)
            assert right == sum(held[: len(part)] <= part for held in keys)
            assert table.span(names, part) == (left, right)


@given(
    keys=st.lists(KEYS, max_size=16, unique=True),
    wanted=st.lists(KEYS, max_size=4),
    size=st.integers(1, 5),
    how=SETTINGS,
    budget=st.sampled_from([0, 10**6]),
)
def test_search_agrees_with_a_plain_list(
    keys: list[Key], wanted: list[Key], size: int, how: dict[str, Any], budget: int
) -> None:
    """Places are those of the sorted list, for any row group size, with all, some or no statistics."""
    keys = sorted(keys)
    with written(cut(keys, size), **how) as file:
        table = SortedTable(file, GroupCache(budget))
        check_places(table, keys, keys + wanted)
        assert len(table) == len(keys)
        marks = [mark(key) for key in keys]
        assert [table.row(at)["code_hash"] for at in range(len(keys))] == marks
        assert [cells["code_hash"] for cells in table.rows(1, len(keys))] == marks[1:]
        assert [table.cell("address", at) for at in reversed(range(len(keys)))] == [key[0] for key in reversed(keys)]
        assert [table.by_hash("code_hash", mark(key)) for key in keys] == list(range(len(keys)))
        assert table.by_hash("code_hash", b"\xff" * 32) is None
        assert [cell.as_py() for part in table.columns(("code_hash",)) for cell in part["code_hash"]] == marks


@given(data=st.data(), keys=st.lists(KEYS, min_size=2, max_size=14, unique=True), size=st.integers(1, 4))
def test_statistics_that_lie_change_nothing(data: st.DataObject, keys: list[Key], size: int) -> None:
    """Whatever addresses or blocks the footer is made to say, every place is that of the rows."""
    keys = sorted(keys)
    kind = data.draw(st.sampled_from([0, 1]))
    values = [a if kind == 0 else b.to_bytes(8, "little") for a, b in ((k[0], k[1]) for k in keys)]
    old = data.draw(st.sampled_from(values))
    new = data.draw(st.sampled_from(ADDRESSES) if kind == 0 else st.sampled_from([bytes(8), b"\x03" + bytes(7), old]))
    with written(cut(keys, size), {old: new}) as file:
        check_places(SortedTable(file, GroupCache(0)), keys, keys + [(a, 1) for a in ADDRESSES])


def test_a_lookup_decodes_only_where_the_key_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key costs one group of fifty, and the same again costs nothing."""
    read: list[int] = []
    genuine = TableFile.read
    monkeypatch.setattr(TableFile, "read", lambda file, at, columns=None: read.append(at) or genuine(file, at, columns))
    keys = [(at.to_bytes(20, "big"), 5) for at in range(500)]
    source = random.Random(1)
    with written(cut(keys, 10)) as file:
        for _ in range(40):
            table = SortedTable(file, GroupCache())
            number = source.randrange(500)
            read.clear()
            assert table.right(ORDER, keys[number]) == number + 1
            assert read == [number // 10]
            table = SortedTable(file, GroupCache())
            read.clear()
            for _ in range(2):
                assert table.right(ORDER, (keys[number][0], 9)) == number + 1
                assert read == [number // 10]
        read.clear()
        parts = list(table.parts(95, 115))
        assert [part.num_rows for part in parts] == [5, 10, 5] and set(read) <= {9, 10, 11}


@pytest.mark.parametrize("how", [{}, {"write_statistics": False}])
def test_rows_out_of_order_are_refused(how: dict[str, Any]) -> None:
    """Rows or groups out of order, and a key twice, in one group or in two, are found when the table is opened."""
    keys = [(bytes([at]) * 20, 0) for at in range(8)]
    first, second, third = keys[:3], keys[3:6], keys[6:]
    for groups in (
        [second, first], [first, second[::-1]], [first, [*second, second[-1]]], [[*first, second[0]], second],
        [first, third, second],
    ):  # fmt: skip
        with written(groups, **how) as file, pytest.raises(BadInput, match=r"row group \d of accounts"):
            SortedTable(file, GroupCache())
    with written([first, [], second, third, []], **how) as file:
        table = SortedTable(file, GroupCache())
        check_places(table, keys, keys)


@pytest.mark.parametrize("size", [1, 2, 9])
@pytest.mark.parametrize("second", [(50, 60), (100, 200), (0, 9), (101, 100)])
def test_intervals_that_overlap_are_refused(size: int, second: tuple[int, int]) -> None:
    """Of one key, in one row group or across two, and an interval that runs backwards: a search would skip a row."""
    spans = [(ADDRESSES[0], 0, 100), (ADDRESSES[1], 0, 100), (ADDRESSES[1], *second), (ADDRESSES[2], 0, 100)]
    with intervals(cut(sorted(spans), size)) as file, pytest.raises(BadInput, match=r"row group \d of accounts"):
        SortedTable(file, GroupCache())
    spans[2] = (ADDRESSES[1], 101, 101)
    with intervals(cut(spans, size)) as file:
        table = SortedTable(file, GroupCache())
        assert [table.right(ORDER, (ADDRESSES[1], block)) for block in (0, 100, 101, 102)] == [2, 2, 3, 3]


@pytest.mark.parametrize("size", [1, 3])
def test_one_hash_in_two_rows_is_refused_where_it_is_searched(size: int) -> None:
    """Whichever hash is asked for: the index of the column is not made, now or later."""
    cells = accounts([(address, 0) for address in ADDRESSES]).to_pylist()
    cells[3]["code_hash"] = cells[1]["code_hash"]
    content = pa.Table.from_pylist(cells, schema=ACCOUNTS.schema)
    with written_tables([content.slice(at, size) for at in range(0, 5, size)]) as file:
        table = SortedTable(file, GroupCache())
        for wanted in (cells[0]["code_hash"], cells[1]["code_hash"], bytes(32)):
            with pytest.raises(BadInput, match=f"row group {3 // size} of accounts holds the code_hash 0x"):
                table.by_hash("code_hash", wanted)


def test_a_table_that_a_folder_lacks_has_no_rows() -> None:
    """Every lookup in it finds nothing."""
    table = SortedTable(None, GroupCache())
    assert len(table) == 0 and table.span(ORDER, (ADDRESSES[1], 3)) == (0, 0)
    assert table.by_hash("code_hash", bytes(32)) is None and table.rows(0, 0) == []
