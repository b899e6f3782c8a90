"""Behaviour of binary search on Arrow buffers."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.sorted_table import SortedTable

SCHEMA = pa.schema(
    [pa.field("key", pa.binary(2), False), pa.field("at", pa.uint64(), False), pa.field("mark", pa.binary(4), False)]
)
ROWS = st.lists(st.tuples(st.binary(min_size=2, max_size=2), st.integers(0, 2**64 - 1)), max_size=30, unique=True)


def table(rows: list[tuple[bytes, int]], skip: int = 0) -> SortedTable:
    """Rows with a unique mark each, optionally as a slice of a longer table."""
    cells = [
        {"key": key, "at": at, "mark": (7919 * n % 100_003).to_bytes(4, "big")} for n, (key, at) in enumerate(rows)
    ]
    return SortedTable(pa.Table.from_pylist(cells, schema=SCHEMA).slice(skip))


@settings(max_examples=60)
@given(
    rows=ROWS, wanted=st.tuples(st.binary(min_size=2, max_size=2), st.integers(0, 2**64 - 1)), skip=st.integers(0, 3)
)
def test_search_agrees_with_a_plain_list(rows: list[tuple[bytes, int]], wanted: tuple[bytes, int], skip: int) -> None:
    """Left, right and span are those of the sorted list of keys, also on a sliced table."""
    rows = sorted(rows)
    found, kept = table(rows, skip), rows[skip:]
    assert len(found) == len(kept)
    names = ("key", "at")
    assert found.left(names, wanted) == sum(row < wanted for row in kept)
    assert found.right(names, wanted) == sum(row <= wanted for row in kept)
    for key, at in kept:
        start, stop = found.span(("key",), (key,))
        assert [row["at"] for row in found.rows(start, stop)] == [n for k, n in kept if k == key]
        assert found.row(found.left(names, (key, at)))["at"] == at


@settings(max_examples=40)
@given(rows=ROWS)
def test_a_hash_is_found_in_an_unsorted_column(rows: list[tuple[bytes, int]]) -> None:
    """Every mark leads to its own row, and a mark nobody has leads nowhere."""
    found = table(sorted(rows))
    for at in range(len(found)):
        assert found.by_hash("mark", found.cell("mark", at)) == at
    assert found.by_hash("mark", b"\xff" * 4) is None
