"""Rows kept from a node: one thing told twice is one row, or a contradiction."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.origin_rows import OriginRows

HASH = "0x" + "11" * 32
LOG: dict[str, Any] = {"blockNumber": "0x5", "logIndex": "0x0", "transactionHash": HASH, "data": "0x01"}


def test_the_fuller_telling_is_kept() -> None:
    """A log with its block's time, before or after the same log without."""
    for tellings in ((LOG, {**LOG, "blockTimestamp": "0x7"}), ({**LOG, "blockTimestamp": "0x7"}, LOG)):
        rows = OriginRows()
        for log in tellings:
            rows.add_log(log, "here")
        assert rows.rows().logs == [{**LOG, "blockTimestamp": "0x7"}]


def test_a_contradiction_is_refused() -> None:
    """One log with two contents: the chain changed while it was read."""
    rows = OriginRows()
    rows.add_log(LOG, "here")
    with pytest.raises(BadInput, match="'data' as '0x01' and then as '0x02': the chain changed"):
        rows.add_log({**LOG, "data": "0x02"}, "here")


def test_a_block_with_bodies_is_a_header_with_hashes_and_its_transactions() -> None:
    """And the same block told with hashes alone agrees with it; an empty one has all its bodies."""
    body = {"blockNumber": "0x5", "transactionIndex": "0x0", "hash": HASH}
    rows = OriginRows()
    assert rows.add_block({"number": "0x5", "hash": HASH, "transactions": [HASH]}, "here") == 5
    assert 5 not in rows.bodies
    rows.add_block({"number": "0x5", "hash": HASH, "transactions": [body]}, "here")
    rows.add_block({"number": "0x6", "hash": HASH, "transactions": []}, "here")
    assert rows.headers[5]["transactions"] == [HASH] and rows.rows().transactions == [body]
    assert rows.bodies == {5: [body], 6: []}


def test_a_receipt_brings_its_logs_and_state_its_block() -> None:
    """Logs go to their own rows; the heights are those at which state was read."""
    rows = OriginRows()
    rows.add_receipt({"blockNumber": "0x5", "transactionIndex": "0x0", "logs": [LOG]}, "here")
    assert rows.rows().logs == [LOG] and rows.rows().receipts == [{"blockNumber": "0x5", "transactionIndex": "0x0"}]
    row = rows.add_account(b"\x01" * 20, 8, 3, 4, b"\x60")
    rows.storage[b"\x01" * 20, bytes(32), 9] = bytes(32)
    assert rows.state_heights == {8, 9} and rows.codes == {row.code_hash: b"\x60"}
