"""A tiny chain on a plain Anvil, and the snapshot recorded from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import json_text
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.rpc_connection import RpcConnection
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

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
RECEIVER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
NOBODY = "0x" + "00" * 20
MINER = "0x00000000000000000000000000000000000c0ffe"
# 32 bytes of calldata: returns that slot. 64 bytes: stores the second word in the slot named by the
# first, and logs the value under the slot as topic.
STORE = "366040146013576000355460005260206000f35b6020356000355560203560005260003560206000a100"
# Returns BASEFEE, COINBASE, GASLIMIT, TIMESTAMP, PREVRANDAO, NUMBER, BLOBBASEFEE, GASPRICE and
# BLOCKHASH(1) as nine words.
OPCODES = ("48", "41", "45", "42", "44", "43", "4a", "3a", "600140")
MIRROR = "".join(f"{code}61{at * 32:04x}52" for at, code in enumerate(OPCODES)) + f"61{len(OPCODES) * 32:04x}6000f3"
SLOTS = (1, 7)
# Accounts that every block touches although no transaction names them.
SYSTEM = (
    "0x0000f90827f1c53a10cb7a02335b175320002935", "0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
    "0x00000961ef480eb55e80d19ad83579a64c007002", "0x0000bbddc7ce488642fb579f8b00f3a590007251",
)  # fmt: skip


def creation(runtime: str) -> str:
    return "0x60" + f"{len(runtime) // 2:02x}" + "80600b6000396000f3" + runtime


@dataclass(frozen=True, slots=True)
class Origin:
    """The living chain that recordings are compared with."""

    rpc: RpcConnection
    store: str
    mirror: str
    last: int


def word_hex(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture(scope="session")
def origin(anvil_binary: Path) -> Iterator[Origin]:
    arguments = ["--chain-id", "7001", "--hardfork", "prague", "--order", "fifo", "--timestamp", "1700000000"]
    node = AnvilProcess(anvil_binary, [*arguments, "--no-mining"])
    rpc = node.connect()
    rpc.demand("anvil_setBlockTimestampInterval", [12])
    rpc.demand("anvil_setCoinbase", [MINER])

    def mine(*transactions: dict[str, Any]) -> list[str]:
        hashes = [rpc.demand("eth_sendTransaction", [{"from": SENDER, "gas": "0x30d40", **t}]) for t in transactions]
        rpc.demand("evm_mine")
        receipts = [rpc.demand("eth_getTransactionReceipt", [sent]) for sent in hashes]
        assert all(receipt["status"] == "0x1" for receipt in receipts)
        return [receipt["contractAddress"] for receipt in receipts]

    mine({"to": RECEIVER, "value": "0xde0b6b3a7640000"})
    store, mirror = mine({"data": creation(STORE)}, {"data": creation(MIRROR)})
    rpc.demand("evm_setBlockGasLimit", ["0x1c00000"])
    mine({"to": store, "data": "0x" + word_hex(1) + word_hex(11)}, {"to": RECEIVER, "value": "0x5"})
    mine()
    mine(
        {"to": store, "data": "0x" + word_hex(1) + word_hex(12)},
        {"to": store, "data": "0x" + word_hex(7) + word_hex(77)},
    )
    mine({"to": store, "data": "0x" + word_hex(1) + word_hex(13)})
    yield Origin(rpc, store, mirror, int(rpc.demand("eth_blockNumber"), 16))
    rpc.close()
    node.stop()


@pytest.fixture(scope="module")
def living(anvil_binary: Path) -> Iterator[Callable[..., RpcConnection]]:
    """``living(*arguments)``: a connection to an Anvil that ends with the module."""
    started: list[tuple[AnvilProcess, RpcConnection]] = []

    def start(*arguments: str) -> RpcConnection:
        node = AnvilProcess(anvil_binary, [*arguments])
        started.append((node, node.connect()))
        return started[-1][1]

    yield start
    for node, rpc in started:
        rpc.close()
        node.stop()


@pytest.fixture(scope="session")
def pool(snapshot: Snapshot) -> Iterator[ForkPool]:
    """Leases of the tiny chain, whose node all tests share."""
    with ForkPool({"tiny": snapshot}) as made:
        yield made


def record(origin: Origin) -> SnapshotRows:
    """Everything of the origin, block by block: the rows that a recorder would keep."""
    rows = SnapshotRows()
    ask = origin.rpc.demand
    for number in range(origin.last + 1):
        at = hex(number)
        block = ask("eth_getBlockByNumber", [at, True])
        rows.transactions += block.pop("transactions")
        rows.blocks.append(block)
        for receipt in ask("eth_getBlockReceipts", [at]) or []:
            rows.logs += receipt.pop("logs")
            rows.receipts.append(receipt)
        for address in (NOBODY, SENDER, RECEIVER, MINER, *SYSTEM, origin.store, origin.mirror):
            code = bytes.fromhex(ask("eth_getCode", [address, at])[2:])
            balance, nonce = (int(ask(m, [address, at]), 16) for m in ("eth_getBalance", "eth_getTransactionCount"))
            code_hash = keccak(code)
            rows.accounts.append(AccountRow(bytes.fromhex(address[2:]), number, number, balance, nonce, code_hash))
            if code:
                rows.codes.append(CodeRow(code_hash, code))
        # Mining a block of this hardfork stores the parent's hash in the first system account.
        slots = [(origin.store, slot) for slot in SLOTS] + [(SYSTEM[0], slot) for slot in range(origin.last + 1)]
        for address, slot in slots:
            value = bytes.fromhex(ask("eth_getStorageAt", [address, hex(slot), at])[2:])
            key = (bytes.fromhex(address[2:]), slot.to_bytes(32, "big"))
            rows.storage.append(StorageRow(*key, number, number, value))
    return rows


def origin_info(last: int) -> SnapshotInfo:
    claims = Claims.of(Claim(name, 0, last) for name in ("blocks", "transactions", "receipts", "logs"))
    return SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, last),), "synthetic", "a test", claims)


@pytest.fixture(scope="session")
def rows(origin: Origin) -> SnapshotRows:
    return record(origin)


@pytest.fixture(scope="session")
def snapshot(origin: Origin, rows: SnapshotRows, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("snapshots") / "tiny"
    write_snapshot(folder, origin_info(origin.last), rows)
    return Snapshot.open(folder)


@pytest.fixture(scope="session")
def traced_rows(origin: Origin, rows: SnapshotRows) -> SnapshotRows:
    """The same rows, with each block's hashes and the origin's own traces and proofs; the last transaction
    is not traced with callTracer."""
    replies = []

    def keep(method: str, params: list[Any], number: int) -> None:
        question = recorded_call(method, params, number)
        reply = origin.rpc.demand(method, question.params)
        replies.append(ReplyRow(method, question.text, number, json_text(reply)))

    for item in rows.transactions:
        number = int(item["blockNumber"], 16)
        keep("trace_transaction", [item["hash"]], number)
        for options in (None, {"tracer": "callTracer"})[: 1 if item is rows.transactions[-1] else 2]:
            keep("debug_traceTransaction", [item["hash"], options], number)
    keep("eth_getProof", [origin.store, ["0x1", "0x7"], "latest"], origin.last)
    blocks = []
    for block in rows.blocks:
        mine = [item["hash"] for item in rows.transactions if item["blockNumber"] == block["number"]]
        blocks.append({**block, "transactions": mine})
    return replace(rows, blocks=blocks, replies=replies)


@pytest.fixture(scope="session")
def traces(traced_rows: SnapshotRows, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The recorded chain with its traces."""
    return cut_at(traced_rows, len(traced_rows.blocks) - 1, tmp_path_factory.mktemp("traces"))


Cut = Callable[..., Snapshot]


@pytest.fixture(scope="session")
def cut() -> Cut:
    """``cut(rows, last, folder, claimed=True)``: see ``cut_at``."""
    return cut_at


def cut_at(rows: SnapshotRows, last: int, folder: Path, claimed: bool = True) -> Snapshot:
    """A snapshot of the chain as a recorder would have written it at block ``last``; unless ``claimed``
    it says to be complete in nothing."""

    def upto(items: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
        return [item for item in items if int(item[name], 16) <= last]

    def state(items: list[Any]) -> list[Any]:
        return [replace(row, to_block=min(row.to_block, last)) for row in items if row.from_block <= last]

    kept = SnapshotRows(
        upto(rows.blocks, "number"),
        upto(rows.transactions, "blockNumber"),
        upto(rows.receipts, "blockNumber"),
        upto(rows.logs, "blockNumber"),
        state(rows.accounts),
        state(rows.storage),
        rows.codes,
        [row for row in rows.replies if row.block_number <= last],
    )
    names = ("blocks", "transactions", "receipts", "logs") if claimed else ()
    claims = Claims.of(Claim(name, 0, last) for name in names)
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((1, last),), "synthetic", "a test", claims)
    write_snapshot(folder / f"{last}-{claimed}", info, kept)
    return Snapshot.open(folder / f"{last}-{claimed}")
