"""Parameters as nodes read them: every spelling of a block, and nonsense told in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.rpc_parameter import address, any_number, at, block_number, hash32, named_block, slot_word
from caia_replay.chain.rpc_parameter import state_block as at_block
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import Miss, ToolError

PIN = 5


@given(number=st.integers(0, 12), zeros=st.integers(0, 3))
def test_a_number_is_read_in_any_width(number: int, zeros: int) -> None:
    """Leading zeros are no error; a number past the pin is one only where it may not be."""
    text = f"0x{'0' * zeros}{number:X}"
    assert any_number(text, PIN) == number
    if number <= PIN:
        assert block_number(text, PIN) == number
    else:
        with pytest.raises(Miss, match=f"state of block {number}"):
            block_number(text, PIN)


def test_every_name_of_a_block_is_its_number(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """Number, tag, hash, and an object with number or hash; nothing said means the pin."""
    for number in range(PIN + 1):
        block_hash = rows.blocks[number]["hash"]
        named: list[Any] = [hex(number), block_hash, {"blockNumber": hex(number)}, {"blockHash": block_hash}]
        named += [{"blockHash": block_hash.upper().replace("0X", "0x"), "requireCanonical": True}]
        named += {0: ["earliest"], PIN: [None, "latest"]}.get(number, [])
        for value in named:
            assert named_block(snapshot, value, PIN) == at_block(snapshot, value, PIN) == number, value


def test_what_comes_later_is_nowhere(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """By number it may be told apart from now, by hash it does not exist, and it has no state."""
    later = rows.blocks[PIN + 1]
    assert named_block(snapshot, later["number"], PIN) == PIN + 1
    assert named_block(snapshot, later["hash"], PIN) is None
    for value in (later["number"], {"blockNumber": later["number"]}):
        with pytest.raises(Miss):
            at_block(snapshot, value, PIN)
    for value in (later["hash"], {"blockHash": later["hash"]}):
        with pytest.raises(ToolError, match="no block"):
            at_block(snapshot, value, PIN)


@pytest.mark.parametrize("tag", ["safe", "finalized", "pending"])
def test_moving_tags_are_a_miss(snapshot: Snapshot, tag: str) -> None:
    """Which block they meant at that moment is recorded nowhere."""
    for ask in (named_block, at_block):
        for value in (tag, {"blockNumber": tag}):
            with pytest.raises(Miss, match=f"block not recorded: {tag}"):
                ask(snapshot, value, PIN)


@pytest.mark.parametrize(
    "value", [5, True, "", "0x", "5", "LATEST", [], {}, {"blockHash": None}, {"blockHash": "0x1"}, {"blockNumber": 5}]
)
def test_nonsense_is_no_block(snapshot: Snapshot, value: Any) -> None:
    """Least of all the latest one."""
    for ask in (named_block, at_block):
        with pytest.raises(ToolError):
            ask(snapshot, value, PIN)


def test_an_object_with_both_names_is_refused(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """They could contradict each other."""
    with pytest.raises(ToolError, match="either blockHash or blockNumber"):
        named_block(snapshot, {"blockHash": rows.blocks[1]["hash"], "blockNumber": "0x1"}, PIN)


def test_addresses_hashes_and_slots_are_one_spelling() -> None:
    """Lower case, full width; anything else is told."""
    assert address("0x" + "aB" * 20) == "0x" + "ab" * 20
    assert hash32("0x" + "aB" * 32) == "0x" + "ab" * 32
    assert slot_word("0xA") == "0x" + "a".zfill(64)
    assert (at([1], 0), at([1], 1)) == (1, None)
    for read in (address, hash32, slot_word):
        for value in (None, 5, "0xzz", "ab" * 20, ["0x1"]):
            with pytest.raises(ToolError):
                read(value)
