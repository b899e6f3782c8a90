"""A real block as a snapshot that can be pinned just before it and just after it.

From a block N with its transactions, receipts and prestate traces (``recorded_block``) come two
heights, N-1 and N. What each holds, and why it may:

**Recorded.** Header N, its transactions, receipts and logs, complete for N. The hash and number of
header N-1; everything else in that header is filled in so that a fork can start, and is listed
under ``reconstructed``. Accounts and slots at N-1, merged from the traces (``prestate_merge``). Each trace
itself, as the reply to debug_traceTransaction with the same tracer.

**Executed.** The block runs again on a fork of N-1, through the same upstream and fork that serve
agents, and must give the recorded header's roots, bloom and gas, every receipt and every log,
without one miss, and each transaction must find what its recorded trace found; otherwise nothing
is written. Then the known accounts and slots are read from the
fork: their state at N. Withdrawals, which Anvil does not execute, are added to the balances of
recipients that are known. The protocol's own writes before the first transaction are made on the
fork: the beacon root (EIP-4788, when a transaction used that contract) and the parent's hash
(EIP-2935, from Prague; Anvil makes this one itself and is lent the contract for it).

**Left out**, so that asking for it is a miss: every account and slot no transaction touched; at N-1
the slots that those protocol writes changed; at N the storage of the withdrawal and consolidation
request contracts (EIP-7002, EIP-7251), which the protocol changes after the last transaction;
withdrawal recipients that no transaction touched; the state of anything else at any other block.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.block_replay import Replayed, SystemWrite, replay_block, trace_differences
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import json_text, to_hex, word
from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.header import HardFork, mainnet_hardfork, parent_header
from caia_replay.chain.prestate_merge import Prestate, SlotKey, merge_prestate
from caia_replay.chain.recorded_block import RecordedBlock, Touched, read_recorded_block
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import (
    AccountRow,
    CodeRow,
    ReplyRow,
    SnapshotInfo,
    SnapshotRows,
    StorageRow,
    write_snapshot,
)
from caia_replay.chain.system_contract import (
    BEACON_ROOTS,
    CHANGED_AFTER_TRANSACTIONS,
    beacon_root_writes,
    block_hash_write,
    lent_block_hashes,
)
from caia_replay.errors import BadInput, Miss


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported. ``accounts``, ``codes`` and ``slots`` are known at the parent;
    ``changed_accounts`` and ``changed_slots`` are those of them with another value after the block."""

    chain: str
    block: int
    hardfork: str
    transactions: int
    logs: int
    gas_used: int
    accounts: int
    codes: int
    slots: int
    changed_accounts: int
    changed_slots: int


_After = tuple[dict[bytes, Touched], dict[SlotKey, bytes]]
"""Accounts and slots at the end of the block, as far as they are known."""


def import_prestate(source: Path, out: Path, *, chain: str = "") -> ImportReport:
    """Write snapshot ``out`` from the folder ``source`` and report what it holds.

    ``chain`` is the snapshot's name, ``mainnet-<number>`` unless given. Raises ``BadInput`` when a
    file is missing or malformed, when the block is not of mainnet between Paris and Osaka, when
    executing it does not give the recorded block exactly, and when ``out`` exists.
    """
    if out.exists():
        raise BadInput("a snapshot is never written over", where=out, next_command=f"remove {out} first")
    recorded = read_recorded_block(source)
    fork = mainnet_hardfork(rpc_value.quantity(recorded.header, "timestamp", source))
    name = chain or f"mainnet-{recorded.number}"
    beacon = tuple(beacon_root_writes(recorded.header))
    protocol = (*beacon, *block_hash_write(recorded.header, fork))
    before = merge_prestate(recorded, {(write.address, write.slot) for write in protocol})
    rows = _rows(recorded, fork, before)
    replayed, (accounts, storage) = _execute(source, name, fork, recorded, before, beacon)
    top = recorded.number
    rows.accounts += [_account_row(address, account, top) for address, account in accounts.items()]
    rows.storage += [StorageRow(*key, top, top, value) for key, value in storage.items()]
    rows.codes = _codes((*before.accounts.values(), *accounts.values()))
    rows.replies = _replies(recorded)
    write_snapshot(out, _info(name, fork, recorded, (top - 1, top)), rows)
    return ImportReport(
        chain=name,
        block=top,
        hardfork=fork.name,
        transactions=replayed.transactions,
        logs=replayed.logs,
        gas_used=replayed.gas_used,
        accounts=len(before.accounts),
        codes=sum(bool(account.code) for account in before.accounts.values()),
        slots=len(before.storage),
        changed_accounts=sum(accounts[address] != account for address, account in before.accounts.items()),
        changed_slots=sum(storage.get(key, value) != value for key, value in before.storage.items()),
    )


def _rows(recorded: RecordedBlock, fork: HardFork, before: Prestate) -> SnapshotRows:
    """Everything that is recorded: state at the parent, both headers, the block's own tables."""
    height = recorded.number - 1
    parent, _ = parent_header(recorded.header, fork)
    return SnapshotRows(
        blocks=[parent, dict(recorded.header)],
        transactions=[dict(transaction) for transaction in recorded.transactions],
        receipts=[{name: v for name, v in receipt.items() if name != "logs"} for receipt in recorded.receipts],
        logs=[dict(log) for receipt in recorded.receipts for log in receipt["logs"]],
        accounts=[_account_row(address, account, height) for address, account in before.accounts.items()],
        storage=[StorageRow(*key, height, height, value) for key, value in before.storage.items()],
        codes=_codes(before.accounts.values()),
    )


def _info(name: str, fork: HardFork, recorded: RecordedBlock, heights: tuple[int, int]) -> SnapshotInfo:
    _, reconstructed = parent_header(recorded.header, fork)
    own = (recorded.number, recorded.number)
    return SnapshotInfo(
        chain=name,
        chain_id=1,
        hardforks={heights[0]: fork.name},
        heights=(heights,),
        provenance="imported",
        source=(
            f"Ethereum mainnet block {recorded.number} ({recorded.header['hash']}): JSON-RPC block, receipts and "
            "prestate traces; state after the block from executing it again, equal in every receipt"
        ),
        claims=Claims.of(Claim(name, *own) for name in ("blocks", "transactions", "receipts", "logs")),
        reconstructed={recorded.number - 1: reconstructed},
    )


def _execute(
    source: Path,
    name: str,
    hardfork: HardFork,
    recorded: RecordedBlock,
    before: Prestate,
    beacon: tuple[SystemWrite, ...],
) -> tuple[Replayed, _After]:
    """Run the block on a fork of its parent; read the state it leaves. Raises ``BadInput``."""
    height = recorded.number - 1
    rows = _rows(recorded, hardfork, before)
    # Undoing a mined block, Anvil asks for its parent whole. Only this passing snapshot claims to know it.
    rows.blocks[0]["transactions"] = []
    accounts, storage = lent_block_hashes(recorded.header, hardfork, before.accounts, before.storage)
    rows.accounts += [_account_row(address, account, height) for address, account in accounts.items()]
    rows.storage += [StorageRow(*key, height, height, value) for key, value in storage.items()]
    rows.codes += _codes(accounts.values())
    writes = beacon if BEACON_ROOTS in before.accounts else ()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / name
        write_snapshot(folder, _info(name, hardfork, recorded, (height, height)), rows)
        with ForkPool({name: Snapshot.open(folder)}) as pool, pool.lease(name, height, writes=True) as fork:
            try:
                replayed = replay_block(fork, recorded.header, recorded.transactions, recorded.receipts, writes)
            except Miss as miss:
                raise BadInput(
                    f"executing block {recorded.number} again needs what the traces do not hold: {miss.detail.kind} "
                    f"{miss.detail.wanted}",
                    where=source,
                    next_command="trace again with prestateTracer and includeEmpty: true",
                ) from miss
            wrong = replayed.differences or trace_differences(
                fork, recorded.number, recorded.transactions, recorded.traces
            )
            if wrong:
                raise BadInput(
                    f"executing block {recorded.number} again does not give the recorded block: "
                    f"{len(wrong)} differences, {'; '.join(wrong[:3])}",
                    where=source,
                )
            return replayed, _read_after(fork, recorded, before)


def _read_after(fork: Fork, recorded: RecordedBlock, before: Prestate) -> _After:
    accounts: dict[bytes, Touched] = {}
    for address in sorted(before.accounts):
        text = to_hex(address)
        accounts[address] = Touched(
            balance=int(fork.operate("eth_getBalance", [text, "latest"]), 16) + recorded.withdrawals.get(address, 0),
            nonce=int(fork.operate("eth_getTransactionCount", [text, "latest"]), 16),
            code=bytes.fromhex(fork.operate("eth_getCode", [text, "latest"])[2:]),
            storage={},
        )
    return accounts, dict(_read_slots(fork, sorted(before.seen)))


def _read_slots(fork: Fork, keys: Iterable[SlotKey]) -> Iterator[tuple[SlotKey, bytes]]:
    for address, slot in keys:
        if address in CHANGED_AFTER_TRANSACTIONS:
            continue
        try:
            value = fork.operate("eth_getStorageAt", [to_hex(address), to_hex(slot), "latest"])
        except Miss:
            # Used by a transaction but not known at the parent, and the block did not settle it.
            continue
        yield (address, slot), word(int(value, 16))


def _account_row(address: bytes, account: Touched, height: int) -> AccountRow:
    return AccountRow(address, height, height, account.balance, account.nonce, keccak(account.code))


def _replies(recorded: RecordedBlock) -> list[ReplyRow]:
    """The traces of the block's transactions, which the execution has proven wherever both list a value."""
    rows = []
    for transaction, trace in zip(recorded.transactions, recorded.trace_replies, strict=True):
        asked = [transaction["hash"], {"tracer": "prestateTracer"}]
        question = recorded_call("debug_traceTransaction", asked, recorded.number)
        rows.append(ReplyRow(question.method, question.text, recorded.number, json_text(trace)))
    return rows


def _codes(accounts: Iterable[Touched]) -> list[CodeRow]:
    found: dict[bytes, bytes] = {keccak(account.code): account.code for account in accounts if account.code}
    return [CodeRow(code_hash, found[code_hash]) for code_hash in sorted(found)]
