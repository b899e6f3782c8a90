"""Behaviour of lookups: answers like the origin's, None when provable, a miss otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, write_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.chain.table_file import TableFile
from caia_replay.errors import Miss

LAST = 6
UNKNOWN = b"\xab" * 32


def opened(folder: Path, rows: SnapshotRows, *claims: Claim) -> Snapshot:
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test", Claims.of(claims))
    write_snapshot(folder, info, rows)
    return Snapshot.open(folder)


def test_every_recorded_thing_is_found_again(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """Blocks by number and hash, transactions, receipts with logs, and state at every block."""
    for header in rows.blocks:
        number = int(header["number"], 16)
        assert snapshot.number_of(bytes.fromhex(header["hash"][2:]), LAST) == number
        bodies = [item for item in rows.transactions if item["blockNumber"] == header["number"]]
        assert snapshot.block(number, full=True) == {**header, "transactions": bodies}
        assert snapshot.block(number, full=False) == {**header, "transactions": [item["hash"] for item in bodies]}
        assert len(snapshot.receipts(number)) == len(bodies)
    for item in rows.transactions:
        assert snapshot.transaction(bytes.fromhex(item["hash"][2:]), LAST) == item
    for receipt in rows.receipts:
        logs = [log for log in rows.logs if log["transactionHash"] == receipt["transactionHash"]]
        found = snapshot.receipt(bytes.fromhex(receipt["transactionHash"][2:]), LAST)
        assert found == {**receipt, "logs": logs}
    for row in rows.accounts:
        known = snapshot.account(row.address, row.from_block)
        assert (known.balance, known.nonce, known.code_hash) == (row.balance, row.nonce, row.code_hash)
    for slot in rows.storage:
        assert snapshot.storage(slot.address, slot.slot, slot.from_block) == slot.value
    for code in rows.codes:
        assert snapshot.code(code.code_hash) == code.code


def test_unknown_state_is_a_miss_and_never_zero(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """An address, slot, code or height that nobody recorded is named, with what is nearest."""
    known = rows.storage[0]
    with pytest.raises(Miss) as account:
        snapshot.account(b"\xab" * 20, 3)
    assert account.value.detail.nearest.startswith("address 0x")
    with pytest.raises(Miss, match="storage not recorded") as storage:
        snapshot.storage(known.address, UNKNOWN, 3)
    assert known.address.hex() in storage.value.detail.nearest
    with pytest.raises(Miss) as height:
        snapshot.account(known.address, LAST + 1)
    assert f"to {LAST}" in height.value.detail.nearest
    with pytest.raises(Miss, match="code not recorded"):
        snapshot.code(UNKNOWN)
    with pytest.raises(Miss, match="block not recorded"):
        snapshot.header(LAST + 1)


def test_zero_is_answered_only_where_completeness_is_declared(tmp_path: Path, rows: SnapshotRows) -> None:
    """Inside a declared span what is absent is empty; outside it stays a miss."""
    complete = opened(tmp_path / "a", rows, Claim("accounts", 2, 4), Claim("storage", 2, 4))
    empty = complete.account(b"\xab" * 20, 3)
    assert (empty.balance, empty.nonce, empty.code_hash) == (0, 0, EMPTY_CODE_HASH)
    assert complete.storage(b"\xab" * 20, UNKNOWN, 4) == bytes(32)
    assert complete.code(EMPTY_CODE_HASH) == b""
    for block in (1, 5):
        with pytest.raises(Miss):
            complete.account(b"\xab" * 20, block)
        with pytest.raises(Miss):
            complete.storage(b"\xab" * 20, UNKNOWN, block)


def test_nothing_past_the_pin_exists(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """A later block, transaction or receipt is treated exactly like one that never was."""
    later = bytes.fromhex(rows.transactions[-1]["hash"][2:])
    assert snapshot.transaction(later, LAST) is not None
    for look_up, key in (
        (snapshot.transaction, later),
        (snapshot.receipt, later),
        (snapshot.number_of, bytes.fromhex(rows.blocks[-1]["hash"][2:])),
    ):
        assert look_up(key, LAST - 1) is None
        assert look_up(UNKNOWN, LAST - 1) is None


def test_a_hash_nobody_recorded_is_a_miss_in_a_partial_snapshot(tmp_path: Path, rows: SnapshotRows) -> None:
    """None is only said where the tables are complete from the first block on."""
    partial = opened(tmp_path / "a", rows, Claim("transactions", 1, LAST))
    for look_up in (partial.transaction, partial.receipt, partial.number_of):
        with pytest.raises(Miss):
            look_up(UNKNOWN, LAST)


def test_a_block_with_an_unknown_body_is_a_miss(tmp_path: Path, rows: SnapshotRows) -> None:
    """A header alone does not say that a block is empty, unless its roots do."""
    headers = opened(tmp_path / "a", replace(rows, transactions=[], receipts=[], logs=[]))
    with pytest.raises(Miss, match="5 with all transactions"):
        headers.block(5, full=True)
    with pytest.raises(Miss):
        headers.receipts(5)
    with pytest.raises(Miss, match="logs not recorded"):
        headers.logs(5, 5, LogFilter())
    empty = [int(block["number"], 16) for block in rows.blocks if block["gasUsed"] == "0x0"]
    for number in empty:
        assert headers.block(number, full=True)["transactions"] == []
        assert headers.receipts(number) == []
        assert headers.logs(number, number, LogFilter()) == []
    assert len(empty) == 2


def test_logs_are_known_where_all_receipts_are(tmp_path: Path, rows: SnapshotRows) -> None:
    """A receipt carries all its logs, so a block with all its receipts has all its logs."""
    known = opened(tmp_path / "a", rows, Claim("transactions", 0, LAST))
    assert known.logs(0, LAST, LogFilter()) == rows.logs
    fewer = opened(tmp_path / "b", replace(rows, receipts=rows.receipts[:-1]), Claim("transactions", 0, LAST))
    assert fewer.logs(0, LAST - 1, LogFilter()) == rows.logs[:-1]
    with pytest.raises(Miss):
        fewer.logs(0, LAST, LogFilter())


def test_logs_are_read_from_the_blocks_asked_for(
    tmp_path: Path, rows: SnapshotRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several row groups each range of blocks has its logs, and no group outside of it is decoded."""
    monkeypatch.setattr("caia_replay.chain.table_writer._WIDE_ROWS_PER_GROUP", 1)
    opened(tmp_path / "a", rows, Claim("logs", 0, LAST))
    read: list[tuple[str, int]] = []
    genuine = TableFile.read
    monkeypatch.setattr(
        TableFile, "read", lambda file, at, columns=None: read.append((file.name, at)) or genuine(file, at, columns)
    )
    for first in range(LAST + 1):
        for last in range(first, LAST + 1):
            known = Snapshot.open(tmp_path / "a")
            read.clear()
            wanted = [at for at, log in enumerate(rows.logs) if first <= int(log["blockNumber"], 16) <= last]
            assert known.logs(first, last, LogFilter()) == [rows.logs[at] for at in wanted]
            beside = {at + step for at in wanted for step in (-1, 0, 1)}
            assert {at for name, at in read if name == "logs"} <= beside or len(read) <= 2
            address = bytes.fromhex(rows.logs[0]["address"][2:])
            assert len(known.logs(first, last, LogFilter(frozenset([address])))) == len(wanted)
            assert known.logs(first, last, LogFilter(frozenset([UNKNOWN[:20]]))) == []
    assert len(rows.logs) > 2


def test_recorded_hashes_prove_a_block_body(tmp_path: Path, rows: SnapshotRows) -> None:
    """With the header's own list of hashes, all bodies present is enough and one less is a miss."""
    header = {
        **rows.blocks[3],
        "transactions": [item["hash"] for item in rows.transactions if item["blockNumber"] == "0x3"],
    }
    bodies = [item for item in rows.transactions if item["blockNumber"] == "0x3"]
    whole = opened(tmp_path / "a", SnapshotRows(blocks=[header], transactions=bodies))
    assert whole.block(3, full=True)["transactions"] == bodies
    part = opened(tmp_path / "b", SnapshotRows(blocks=[header], transactions=bodies[1:]))
    assert part.block(3, full=False) == header
    with pytest.raises(Miss):
        part.block(3, full=True)
