"""Behaviour of binary search on the buffers of one decoded row group."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.row_group import RowGroup, fixed_reader, uint64_reader

SCHEMA = pa.schema(
    [
        pa.field("key", pa.binary(2), False),
        pa.field("at", pa.uint64(), False),
        pa.field("mark", pa.binary(1), False),
        pa.field("words", pa.string()),
    ]
)
ORDER = ("key", "at", "mark")
KEYS = st.tuples(
    st.binary(min_size=2, max_size=2), st.integers(0, 2**64 - 1), st.binary(min_size=1, max_size=1)
) | st.tuples(st.sampled_from([b"\0\0", b"\xff\xff"]), st.sampled_from([0, 2**63, 2**64 - 1]), st.just(b"\x80"))


def content(rows: list[tuple[bytes, int, bytes]]) -> pa.Table:
    return pa.Table.from_pylist(
        [{"key": key, "at": at, "mark": mark, "words": None} for key, at, mark in rows], schema=SCHEMA
    )


@settings(max_examples=60)
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


@settings(max_examples=100)
@given(rows=st.lists(KEYS, max_size=6), skip=st.integers(0, 2))
def test_ascending_is_strict(rows: list[tuple[bytes, int, bytes]], skip: int) -> None:
    """Only sorted rows without a repeated key ascend; bytes and large numbers compare unsigned."""
    for some in (rows, sorted(rows), sorted(set(rows))):
        kept = some[skip:]
        assert RowGroup(content(some).slice(skip), ORDER).ascending() == (sorted(set(kept)) == kept)


INTERVALS = st.tuples(st.sampled_from([b"aa", b"bb"]), st.integers(0, 5), st.integers(0, 5))


@settings(max_examples=200)
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
