"""Two recordings of one chain: put together where they agree, told apart where they do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.chain_source import can_pin, hardfork_at
from caia_replay.chain.claim import Claim, Claims, spans_of
from caia_replay.chain.snapshot_schema import AccountRow, ReplyRow, SnapshotInfo, SnapshotRows, StorageRow
from caia_replay.errors import BadInput
from caia_replay.recording.snapshot_merge import count_rows, differences, merge_info, merge_rows

A, SLOT, ONE, TWO = b"\x0a" * 20, b"\x05" * 32, bytes(31) + b"\x01", bytes(31) + b"\x02"
INFO = SnapshotInfo("toy", 7, {0: "cancun"}, ((3, 3),), "live", "from a node", Claims.of([Claim("logs", 1, 2)]))
LOG = {"blockNumber": "0x5", "logIndex": "0x0", "data": "0x01"}
heights = st.sets(st.integers(0, 12), min_size=1, max_size=5)
rules = st.sampled_from(["paris", "shanghai", "cancun"])


def told(old: SnapshotRows, new: SnapshotRows) -> list[str]:
    return [str(found) for found in differences(old, new)]


def test_each_difference_is_told_by_its_key() -> None:
    """Rows of blocks by field, state by block, replies by question."""
    old = SnapshotRows(
        logs=[LOG], accounts=[AccountRow(A, 2, 6, 1, 0, ONE)], storage=[StorageRow(A, SLOT, 2, 6, ONE)],
        replies=[ReplyRow("eth_x", "[1]", 4, "1")],
    )  # fmt: skip
    new = SnapshotRows(
        logs=[{**LOG, "data": "0x02", "removed": False}], accounts=[AccountRow(A, 6, 9, 2, 0, TWO)],
        storage=[StorageRow(A, SLOT, 5, 5, TWO)], replies=[ReplyRow("eth_x", "[1]", 4, "2")],
    )  # fmt: skip
    address, slot = f"0x{A.hex()}", f"0x{SLOT.hex()}"
    assert told(old, new) == [
        "logs block 5 log 0 data: 0x01 -> 0x02",
        f"accounts {address} at block 6 balance: 1 -> 2",
        f"accounts {address} at block 6 code_hash: 0x{ONE.hex()} -> 0x{TWO.hex()}",
        f"storage {address} slot {slot} at block 5: 0x{ONE.hex()} -> 0x{TWO.hex()}",
        "replies eth_x [1]: 1 -> 2",
    ]
    assert told(old, old) == told(old, SnapshotRows()) == []
    with pytest.raises(BadInput, match=r"another thing than what is recorded: logs block 5 log 0 data.*--refresh"):
        merge_rows(old, new)


def test_a_merge_has_everything_of_both_and_the_fuller_rows() -> None:
    """State side by side; a log with its time wins over one without."""
    old = SnapshotRows(logs=[LOG], accounts=[AccountRow(A, 2, 2, 1, 0, ONE)])
    new = SnapshotRows(logs=[{**LOG, "removed": False}], accounts=[AccountRow(A, 5, 5, 2, 0, ONE)])
    for merged in (merge_rows(old, new), merge_rows(new, old)):
        assert merged.logs == [{**LOG, "removed": False}] and len(merged.accounts) == 2
        assert count_rows(merged)["logs"] == 1


@given(heights, heights, rules, rules, st.integers(0, 12), rules)
def test_every_height_keeps_its_rules(
    first: set[int], second: set[int], one: Any, two: Any, change: int, later: Any
) -> None:
    """After a merge each pinned height runs under the rules of the older recording that pins it, else the newer's."""
    old = replace(INFO, heights=spans_of(first), hardforks={0: one, change: later} if change else {0: one})
    new = replace(INFO, heights=spans_of(second), hardforks={min(second): two})
    merged = merge_info(old, new)
    for height in first | second:
        assert can_pin(merged.heights, height)
        wanted = hardfork_at(old.hardforks, height) if height in first else two
        assert hardfork_at(merged.hardforks, height) == wanted
    assert merged.heights == spans_of(first | second)


def test_claims_and_sources_of_both_are_kept_once() -> None:
    """Nothing is claimed that neither claimed; a source is named once."""
    new = replace(INFO, claims=Claims.of([Claim("logs", 3, 4), Claim("blocks", 0, 1)]), source="from a node")
    merged = merge_info(INFO, new)
    assert merged.claims == Claims.of([Claim("logs", 1, 4), Claim("blocks", 0, 1)]) and merged.source == "from a node"
    assert merge_info(replace(INFO, provenance="imported"), INFO).provenance == "live"


def test_two_chains_are_not_one() -> None:
    """Another name, id, or kind of provenance is refused."""
    for wrong in ({"chain": "other"}, {"chain_id": 8}, {"provenance": "synthetic"}):
        with pytest.raises(BadInput):
            merge_info(INFO, replace(INFO, **wrong))
