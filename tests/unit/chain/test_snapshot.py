"""Behaviour of lookups: answers like the origin's, None when provable, a miss otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.chain import rpc_row
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, write_groups, write_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow, question_key
from caia_replay.chain.table import CODES, REPLIES, TRANSACTIONS
from caia_replay.chain.table_file import TableFile, row_groups
from caia_replay.errors import BadInput, Miss

LAST = 6
UNKNOWN = b"\xab" * 32


def opened(folder: Path, rows: SnapshotRows, *claims: Claim) -> Snapshot:
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test", Claims.of(claims))
    write_snapshot(folder, info, rows)
    return Snapshot.open(folder)


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


def test_absence_is_told_only_where_completeness_is_declared(tmp_path: Path, rows: SnapshotRows) -> None:
    """Inside a declared span what is absent is empty; a hash nobody recorded is a miss in a partial snapshot."""
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
    partial = opened(tmp_path / "b", rows, Claim("transactions", 1, LAST))
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


def test_logs_are_read_from_the_blocks_asked_for(
    tmp_path: Path, rows: SnapshotRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several row groups each range of blocks has its logs, and no group outside of it is decoded."""
    monkeypatch.setattr("caia_replay.chain.table_file._WIDE_ROWS_PER_GROUP", 1)
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


def test_reconstructed_headers_prove_no_absence(tmp_path: Path, traced_rows: SnapshotRows) -> None:
    """Of a block whose empty roots and bloom were computed nothing is said: no body, no receipts, no logs."""
    empty = next(block for block in traced_rows.blocks[1:] if block["gasUsed"] == "0x0")
    number = int(empty["number"], 16)
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test")
    names = ("transactionsRoot", "receiptsRoot", "logsBloom", "transactions")
    write_snapshot(tmp_path / "a", replace(info, reconstructed={number: names}), SnapshotRows(blocks=[empty]))
    known = Snapshot.open(tmp_path / "a")
    assert known.header(number) == empty
    for look_up in (
        lambda: known.transactions(number), lambda: known.block(number, full=True), lambda: known.receipts(number),
        lambda: known.logs(number, number, LogFilter()),
    ):  # fmt: skip
        with pytest.raises(Miss):
            look_up()


def test_one_hash_in_two_blocks_is_neither_found_nor_absent(tmp_path: Path, rows: SnapshotRows) -> None:
    """A later block with the same transaction would make the earlier one nothing; such a table is refused."""
    item = rows.transactions[0]
    cells = [rpc_row.encode(TRANSACTIONS, {**item, "blockNumber": hex(number)}) for number in (3, 8)]
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, 9),), "synthetic", "a test")
    claims = Claims((Claim("transactions", 0, 9),))
    write_groups(tmp_path / "a", replace(info, claims=claims), {"transactions": row_groups(cells, TRANSACTIONS)})
    known = Snapshot.open(tmp_path / "a")
    for wanted in (bytes.fromhex(item["hash"][2:]), UNKNOWN):
        with pytest.raises(BadInput, match="holds the transaction_hash 0x"):
            known.transaction(wanted, 5)


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ({"reply": "{broken"}, "trace_block that is no JSON"),
        ({"reply": '{"a":1,"a":2}'}, "trace_block that is no JSON"),
        ({"params": '["0x6"]'}, "holds a reply to trace_block under the key of trace_block"),
        ({"method": "trace_transaction"}, "holds a reply to trace_transaction under the key of trace_block"),
    ],
)
def test_a_reply_is_served_only_to_its_own_question(tmp_path: Path, cells: dict[str, str], fault: str) -> None:
    """A row that stands under the key of another question, or is no JSON, is bad input by file, and no answer."""
    row = {"question": question_key("trace_block", '["0x5"]'), "block_number": 5, "method": "trace_block"}
    for name, broken in (("a", {}), ("b", cells)):
        content = {**row, "params": '["0x5"]', "reply": '{"a":1}', **broken}
        info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test")
        write_groups(tmp_path / name, info, {"replies": row_groups([content], REPLIES)})
    assert Snapshot.open(tmp_path / "a").reply("trace_block", '["0x5"]', 5) == {"a": 1}
    with pytest.raises(BadInput, match=rf"replies.*parquet: row group 0 of replies .*{fault}"):
        Snapshot.open(tmp_path / "b").reply("trace_block", '["0x5"]', 5)


def test_code_is_served_only_under_its_own_hash(tmp_path: Path, rows: SnapshotRows) -> None:
    """No code where there is some, or another's, sealed under a hash, is bad input by file."""
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, LAST),), "synthetic", "a test")
    right = {row.code_hash: row.code for row in rows.codes}
    some, other = sorted(right)[:2]
    cells = [{"code_hash": bytes(31) + b"\5", "code": b""}, {"code_hash": some, "code": right[other]}]
    cells += [{"code_hash": other, "code": right[other]}]
    write_groups(tmp_path / "a", info, {"codes": row_groups(cells, CODES)})
    known = Snapshot.open(tmp_path / "a")
    assert known.code(other) == right[other]
    for cell in cells[:2]:
        with pytest.raises(BadInput, match=r"row group 0 of codes holds code under 0x\w+, which is not its hash"):
            known.code(cell["code_hash"])


def test_the_caller_is_the_first_account_without_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those known at the block, over several row groups; the zero address goes before all, and there may be none."""
    monkeypatch.setattr("caia_replay.chain.table_file._ROWS_PER_GROUP", {"accounts": 2})
    contract, far = b"\x01" * 32, 2**64 - 1
    spans = [(1, 0, 9, contract), (2, 5, 6, contract), (2, 7, 9, EMPTY_CODE_HASH), (3, 8, 9, EMPTY_CODE_HASH)]
    spans += [(4, 2, 3, EMPTY_CODE_HASH), (5, 1, far, EMPTY_CODE_HASH)]
    accounts = [AccountRow(bytes([at]) * 20, first, last, 0, 0, kind) for at, first, last, kind in spans]
    known = opened(tmp_path / "a", SnapshotRows(accounts=accounts))
    for block in (0, 1, 2, 6, 7, 10, far):
        fit = [row.address for row in accounts if row.from_block <= block <= row.to_block]
        plain = [who for who in fit if known.account(who, block).code_hash == EMPTY_CODE_HASH]
        assert known.caller(block) == (f"0x{plain[0].hex()}" if plain else None)
    zero = AccountRow(bytes(20), 0, 9, 0, 0, contract)
    assert opened(tmp_path / "b", SnapshotRows(accounts=[*accounts, zero])).caller(7) == "0x" + "00" * 20
