"""Behaviour of state rows and their validity intervals."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain import state_row
from caia_replay.chain.state_row import AccountRow, CodeRow, StorageRow
from caia_replay.errors import BadInput

ROW = StorageRow(bytes(20), bytes(32), 5, 9, b"\1" * 32)


def values(rows: list[StorageRow]) -> dict[int, bytes]:
    """What is known at each block."""
    return {block: row.value for row in rows for block in range(row.from_block, row.to_block + 1)}


@settings(max_examples=60)
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


def test_overlap_with_another_value_is_refused() -> None:
    """Two rows that contradict each other in one block name both intervals."""
    other = replace(ROW, from_block=9, to_block=12, value=b"\2" * 32)
    with pytest.raises(BadInput, match="5 to 9 and 9 to 12 overlap"):
        state_row.to_cells("storage", [other, ROW])


def test_overlap_with_the_same_value_is_one_interval() -> None:
    """Saying the same thing twice is not a contradiction."""
    cells = list(state_row.to_cells("storage", [ROW, replace(ROW, from_block=7, to_block=20)]))
    assert [(cell["from_block"], cell["to_block"]) for cell in cells] == [(5, 20)]


@pytest.mark.parametrize(
    "row",
    [
        AccountRow(bytes(19), 0, 0, 0, 0, bytes(32)),
        AccountRow(bytes(20), 2, 1, 0, 0, bytes(32)),
        AccountRow(bytes(20), 0, 0, 1 << 256, 0, bytes(32)),
        AccountRow(bytes(20), 0, 0, -1, 0, bytes(32)),
        AccountRow(bytes(20), 0, 0, 0, 1 << 64, bytes(32)),
        ROW,
    ],
)
def test_malformed_rows_are_bad_input(row: AccountRow) -> None:
    """Widths, ranges, backward intervals and foreign rows are refused before anything is written."""
    with pytest.raises(BadInput):
        state_row.to_cells("accounts", [row])


def test_code_must_be_the_preimage_of_its_hash() -> None:
    """A code row cannot carry other bytes than its hash promises."""
    assert list(state_row.to_cells("codes", [CodeRow(state_row.EMPTY_CODE_HASH, b"")]))
    with pytest.raises(BadInput, match="preimage"):
        state_row.to_cells("codes", [CodeRow(state_row.EMPTY_CODE_HASH, b"\0")])
