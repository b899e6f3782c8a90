"""RPC objects and state as rows: nothing lost, nothing contradictory, and searched by bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain import column, rpc_row, state_row, table
from caia_replay.chain.column import to_hex
from caia_replay.chain.manifest_upgrade import ADDED_TABLES
from caia_replay.chain.row_group import RowGroup, fixed_reader, uint64_reader
from caia_replay.chain.state_row import AccountRow, CodeRow, StorageRow
from caia_replay.chain.table import TABLES, RpcTable
from caia_replay.errors import BadInput

RPC_TABLES = (table.BLOCKS, table.TRANSACTIONS, table.RECEIPTS, table.LOGS)
ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
QUANTITY = st.integers(0, 2**70).map(hex)
HASH = st.binary(min_size=32, max_size=32).map(to_hex)
ADDRESS = st.binary(min_size=20, max_size=20).map(to_hex)


@st.composite
def rpc_object(draw: st.DrawFn, spec: table.RpcTable) -> dict[str, Any]:
    """An object with all key fields, some others fit or odd, and some that no table knows."""
    out: dict[str, Any] = {}
    for item in spec.columns:
        kind = str(item.form.arrow)
        fits = {"fixed_size_binary[20]": ADDRESS, "fixed_size_binary[32]": HASH, "binary": HASH}.get(kind, QUANTITY)
        if item.required:
            out[item.field] = draw(st.integers(0, 2**63).map(hex) if kind == "uint64" else fits)
        elif item.field not in spec.foreign and draw(st.booleans()):
            out[item.field] = draw(st.one_of(fits, ODD))
    if spec is table.LOGS:
        out["topics"] = draw(st.lists(HASH, max_size=4))
    unknown = draw(st.dictionaries(st.text(max_size=6), ODD, max_size=2))
    return {**{k: v for k, v in unknown.items() if k not in spec.foreign}, **out}


@pytest.mark.parametrize("spec", RPC_TABLES, ids=lambda spec: spec.name)
@given(data=st.data())
def test_a_row_gives_back_the_identical_object(spec: table.RpcTable, data: st.DataObject) -> None:
    """Absent, null, odd and unknown fields all survive the round trip."""
    rpc = data.draw(rpc_object(spec))
    back = rpc_row.decode(spec, rpc_row.encode(spec, rpc))
    assert json.dumps(back, sort_keys=True) == json.dumps(rpc, sort_keys=True)


@pytest.mark.real
def test_a_real_block_gives_back_the_identical_objects(real_data: Path) -> None:
    """Mainnet block 22244135, its transactions, receipts and logs need no extra and lose nothing."""
    folder = real_data / "mainnet-22244135"
    block = json.loads((folder / "block.json").read_bytes())["result"]
    receipts = json.loads((folder / "receipts.json").read_bytes())["result"]
    logs = [log for receipt in receipts for log in receipt.pop("logs")]
    assert (len(block["transactions"]), len(receipts), len(logs)) == (125, 125, 176)
    transactions = block.pop("transactions")
    for spec, items in zip(RPC_TABLES, ([block], transactions, receipts, logs), strict=True):
        for item in items:
            cells = rpc_row.encode(spec, item)
            assert cells[table.EXTRA] is None
            assert rpc_row.decode(spec, cells) == item


def test_what_is_no_row_is_bad_input() -> None:
    """Missing or odd keys, another table's content, and an edited extra column that is no JSON."""
    for spec, rpc, word in [
        (table.BLOCKS, {"number": None}, "number"), (table.BLOCKS, {}, "number"),
        (table.BLOCKS, {"transactions": [{}]}, "bodies"), (table.RECEIPTS, {"logs": []}, "own table"),
        (table.LOGS, {"topics": ["0x1"]}, "topics"), (table.LOGS, {}, "topics"), (table.BLOCKS, [], "JSON object"),
    ]:  # fmt: skip
        with pytest.raises(BadInput, match=word):
            rpc_row.encode(spec, rpc)
    cells = {item.name: None for item in table.RECEIPTS.columns}
    for text in ("{", "[]", '{"fields": 1}', '{"fields": {}, "absent": 3}'):
        with pytest.raises(BadInput, match="receipts"):
            rpc_row.decode(table.RECEIPTS, {**cells, table.EXTRA: text})


ROW = StorageRow(bytes(20), bytes(32), 5, 9, b"\1" * 32)


def values(rows: list[StorageRow]) -> dict[int, bytes]:
    """What is known at each block."""
    return {block: row.value for row in rows for block in range(row.from_block, row.to_block + 1)}


@given(
    blocks=st.dictionaries(st.integers(0, 30), st.sampled_from([b"\0" * 32, b"\1" * 32]), min_size=1), data=st.data()
)
def test_merging_changes_no_value_and_leaves_no_two_touching_equals(
    blocks: dict[int, bytes], data: st.DataObject
) -> None:
    """Any cut of a history into rows, in any order, is stored as the same fewest intervals."""
    rows = [replace(ROW, from_block=n, to_block=n, value=value) for n, value in blocks.items()]
    cells = list(state_row.to_cells("storage", data.draw(st.permutations(rows))))
    merged = [StorageRow(**cell) for cell in cells]
    assert values(merged) == blocks
    for one, two in pairwise(merged):
        assert one.to_block < two.from_block
        assert one.to_block + 1 < two.from_block or one.value != two.value


def test_overlaps_are_one_interval_or_refused() -> None:
    """The same value twice is one interval; another value, malformed rows and foreign code are refused."""
    other = replace(ROW, from_block=9, to_block=12, value=b"\2" * 32)
    with pytest.raises(BadInput, match="5 to 9 and 9 to 12 overlap"):
        state_row.to_cells("storage", [other, ROW])
    cells = list(state_row.to_cells("storage", [ROW, replace(ROW, from_block=7, to_block=20)]))
    assert [(cell["from_block"], cell["to_block"]) for cell in cells] == [(5, 20)]
    for row in [
        AccountRow(bytes(19), 0, 0, 0, 0, bytes(32)), AccountRow(bytes(20), 2, 1, 0, 0, bytes(32)),
        AccountRow(bytes(20), 0, 0, 1 << 256, 0, bytes(32)), AccountRow(bytes(20), 0, 0, -1, 0, bytes(32)),
        AccountRow(bytes(20), 0, 0, 0, 1 << 64, bytes(32)), ROW,
    ]:  # fmt: skip
        with pytest.raises(BadInput):
            state_row.to_cells("accounts", [row])
    assert list(state_row.to_cells("codes", [CodeRow(state_row.EMPTY_CODE_HASH, b"")]))
    with pytest.raises(BadInput, match="preimage"):
        state_row.to_cells("codes", [CodeRow(state_row.EMPTY_CODE_HASH, b"\0")])


FORMS = [
    column.ADDRESS, column.HASH, column.DATA, column.UINT64, column.UINT256, column.FLAG, column.HASHES, column.JSON,
]  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
HEX = (
    st.integers(0, 2**260).map(hex)
    | st.binary(max_size=40).map(column.to_hex)
    | st.text("0xabcdefABCDEF12", max_size=70)
)


@given(value=JSON_VALUES | HEX | st.lists(HEX, max_size=3))
def test_a_form_gives_back_exactly_what_it_took(value: Any) -> None:
    """Whatever a form does not call unfit comes back equal, and of the same type."""
    for form in FORMS:
        cell = form.encode(value)
        if cell is not column.UNFIT:
            back = form.decode(cell)
            assert back == value
            assert type(back) is type(value)


def test_other_spellings_are_unfit() -> None:
    """Leading zeros, numbers too wide and upper-case hex would come back differently, so they are not taken."""
    assert column.UINT64.encode("0x0") == 0
    assert column.UINT64.encode("0x00") is column.UNFIT
    assert column.UINT64.encode(hex(2**64)) is column.UNFIT
    assert column.UINT256.encode(hex(2**256)) is column.UNFIT
    assert column.ADDRESS.encode("0x" + "Ab" * 20) is column.UNFIT


def test_tables_are_sorted_and_columns_are_their_own() -> None:
    """Orders are required columns of fixed width, each field has one column, and upgrades know later tables."""
    for name in TABLES:
        spec = TABLES[name]
        assert spec.name == name and spec.order
        for name_of in spec.order:
            field = spec.schema.field(name_of)
            assert not field.nullable
            assert pa.types.is_uint64(field.type) or pa.types.is_fixed_size_binary(field.type)
    for name in TABLES:
        spec = TABLES[name]
        assert len(set(spec.schema.names)) == len(spec.schema.names)
        if isinstance(spec, RpcTable):
            assert len({column.field for column in spec.columns}) == len(spec.columns)
            assert not set(spec.foreign) - {f"topics.{at}" for at in range(4)} - {"logs"}
    assert {name for names in ADDED_TABLES.values() for name in names} <= TABLES.keys()


SCHEMA = pa.schema(
    [
        pa.field("key", pa.binary(2), False), pa.field("at", pa.uint64(), False), pa.field("mark", pa.binary(1), False),
        pa.field("words", pa.string()),
    ]
)  # fmt: skip
ORDER = ("key", "at", "mark")
KEYS = st.tuples(
    st.binary(min_size=2, max_size=2), st.integers(0, 2**64 - 1), st.binary(min_size=1, max_size=1)
) | st.tuples(st.sampled_from([b"\0\0", b"\xff\xff"]), st.sampled_from([0, 2**63, 2**64 - 1]), st.just(b"\x80"))


def content(rows: list[tuple[bytes, int, bytes]]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"key": key, "at": at, "mark": mark, "words": None} for key, at, mark in rows], schema=SCHEMA
    )


@given(rows=st.lists(KEYS, max_size=30, unique=True), wanted=KEYS, skip=st.integers(0, 3), width=st.integers(0, 3))
def test_search_agrees_with_a_plain_list(
    rows: list[tuple[bytes, int, bytes]], wanted: tuple[bytes, int, bytes], skip: int, width: int
) -> None:
    """Left and right are those of the sorted list of keys, for keys of any width, also on a sliced table."""
    rows = sorted(rows)
    group, kept = RowGroup(content(rows).slice(skip), ORDER), rows[skip:]
    assert len(group) == len(kept)
    for key in [wanted[:width], *(row[:width] for row in kept)]:
        assert group.left(key) == sum(row[:width] < key for row in kept)
        assert group.right(key) == sum(row[:width] <= key for row in kept)
    assert [tuple(group.cell(name, at) for name in ORDER) for at in range(len(kept))] == kept
    if kept:
        assert (group.first, group.last) == (kept[0], kept[-1])


@given(rows=st.lists(KEYS, max_size=6), skip=st.integers(0, 2))
def test_ascending_is_strict(rows: list[tuple[bytes, int, bytes]], skip: int) -> None:
    """Only sorted rows without a repeated key ascend; bytes and large numbers compare unsigned."""
    for some in (rows, sorted(rows), sorted(set(rows))):
        kept = some[skip:]
        assert RowGroup(content(some).slice(skip), ORDER).ascending() == (sorted(set(kept)) == kept)


INTERVALS = st.tuples(st.sampled_from([b"aa", b"bb"]), st.integers(0, 5), st.integers(0, 5))


@given(st.lists(INTERVALS, max_size=5).map(sorted) | st.lists(INTERVALS, max_size=3))
def test_intervals_of_one_key_share_no_block(rows: list[tuple[bytes, int, int]]) -> None:
    """They ascend when they are sorted, none runs backwards, and no block of a key is in two of them."""
    columns = {"key": pa.array([row[0] for row in rows], pa.binary(2))}
    columns |= {name: pa.array([row[at] for row in rows], pa.uint64()) for at, name in ((1, "from"), (2, "to"))}
    schema = pa.schema([pa.field(name, column.type, False) for name, column in columns.items()])
    blocks = [(key, block) for key, first, last in rows for block in range(first, last + 1)]
    apart = len(set(blocks)) == len(blocks) and all(first <= last for _, first, last in rows)
    group = RowGroup(pa.table(columns, schema), ("key", "from"))
    assert group.ascending("to") == (apart and rows == sorted(rows))


def test_readers_join_chunks() -> None:
    """A column in several chunks reads as one."""
    numbers, words = pa.chunked_array([[1], [2, 3]], pa.uint64()), pa.chunked_array([[b"a"], [b"b"]], pa.binary(1))
    assert [uint64_reader(numbers)(at) for at in range(3)] == [1, 2, 3]
    assert [fixed_reader(words)(at) for at in range(2)] == [b"a", b"b"]
