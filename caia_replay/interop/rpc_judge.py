"""What a snapshot's rows say to one question, read without any of the lookups that serve it.

Rows are plain lists here, gone through from end to end. What is executed is executed once more, by an Anvil of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.column import to_hex
from caia_replay.chain.fork_node import EXECUTED
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.plain_node import PlainNode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow
from caia_replay.errors import Miss, ToolError

ACCOUNT_METHODS: Final = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")


class Basis(StrEnum):
    """What an answer rests on."""

    ROW = "proven by a row of the changed key"
    EXECUTED = "executed again with the same result"
    NONE = "nothing"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rows say; ``value`` None with ``Basis.ROW`` is a provable null."""

    basis: Basis
    value: Any = None


class RowJudge:
    """Reads one snapshot up to ``pin``. Raises as ``read_snapshot``."""

    def __init__(self, snapshot: Snapshot, pin: int, pool: ForkPool) -> None:
        """``pool`` is not the one that serves."""
        info, rows = read_snapshot(snapshot.folder)
        self.pin, self.claims = pin, info.claims
        self.heights = [number for first, last in info.heights for number in range(first, min(last, first + 50) + 1)]
        self.addresses = sorted({row.address for row in rows.accounts} | {row.address for row in rows.storage})
        self.slots = sorted({row.slot for row in rows.storage})
        self.hashes = sorted(str(item["hash"]) for item in (*rows.blocks, *rows.transactions))
        self._snapshot, self._again = snapshot, PlainNode(snapshot, pin, pool)
        self._accounts: defaultdict[bytes, list[AccountRow]] = defaultdict(list)
        for row in rows.accounts:
            self._accounts[row.address].append(row)
        self._storage = rows.storage
        self._codes = {row.code_hash: row.code for row in rows.codes}
        self._blocks = {int(row["number"], 16): row for row in rows.blocks}
        self._transactions, self._receipts, self._logs = rows.transactions, rows.receipts, rows.logs

    def read(self, method: str, params: Sequence[Any]) -> Reading:
        """What the rows say to a question whose blocks are numbers or latest."""
        if method in (*ACCOUNT_METHODS, "eth_getAccountInfo"):
            return self._account(method, params[0], self._number(params[1] if len(params) > 1 else None))
        if method == "eth_getStorageAt":
            return self._slot(params[0], params[1], self._number(params[2] if len(params) > 2 else None))
        if method in ("eth_getBlockByNumber", "eth_getBlockByHash"):
            return self._block(method, params)
        if method == "eth_getTransactionByHash":
            return _only([item for item in self._transactions if item["hash"] == params[0] and self._is_past(item)])
        if method in ("eth_getTransactionReceipt", "eth_getBlockReceipts", "eth_getLogs"):
            return self._mined(method, params)
        if method in EXECUTED:
            return self._executed(method, params)
        return Reading(Basis.NONE)

    def _account(self, method: str, address: str, block: int) -> Reading:
        key = bytes.fromhex(address[2:])
        row = next((row for row in self._accounts[key] if row.from_block <= block <= row.to_block), None)
        if row is None:
            if block > self.pin or not self.claims.covers("accounts", block):
                return Reading(Basis.NONE)
            row = AccountRow(key, block, block, 0, 0, EMPTY_CODE_HASH)
        code = to_hex(self._codes.get(row.code_hash, b""))
        values = {"eth_getBalance": hex(row.balance), "eth_getTransactionCount": hex(row.nonce), "eth_getCode": code}
        whole = {"balance": hex(row.balance), "nonce": hex(row.nonce), "code": code}
        return Reading(Basis.ROW, values.get(method, whole)) if block <= self.pin else Reading(Basis.NONE)

    def _slot(self, address: str, slot: str, block: int) -> Reading:
        key = bytes.fromhex(address[2:]), int(slot, 16).to_bytes(32, "big")
        for row in self._storage:
            if (row.address, row.slot) == key and row.from_block <= block <= row.to_block and block <= self.pin:
                return Reading(Basis.ROW, to_hex(row.value))
        if block <= self.pin and self.claims.covers("storage", block, addresses=(key[0],)):
            return Reading(Basis.ROW, to_hex(bytes(32)))
        return Reading(Basis.NONE)

    def _block(self, method: str, params: Sequence[Any]) -> Reading:
        if method == "eth_getBlockByHash":
            block = next((row for row in self._blocks.values() if row["hash"] == params[0]), None)
        else:
            number = self._number(params[0])
            if number > self.pin:
                return Reading(Basis.ROW, None)
            block = self._blocks.get(number)
        if block is None or int(block["number"], 16) > self.pin:
            return Reading(Basis.NONE)
        own = [item for item in self._transactions if item["blockNumber"] == block["number"]]
        own.sort(key=lambda item: int(item["transactionIndex"], 16))
        full = len(params) > 1 and bool(params[1])
        return Reading(Basis.ROW, {**block, "transactions": own} if full else block)

    def _mined(self, method: str, params: Sequence[Any]) -> Reading:
        if method == "eth_getLogs":
            found = [log for log in self._logs if _fits(log, params[0], self._number)]
            return Reading(Basis.ROW, sorted(found, key=_place))
        receipts = [{**row, "logs": self._logs_of(row)} for row in self._receipts if self._is_past(row)]
        if method == "eth_getTransactionReceipt":
            return _only([row for row in receipts if row["transactionHash"] == params[0]])
        number = self._number(params[0])
        if number > self.pin:
            return Reading(Basis.ROW, None)
        own = [row for row in receipts if int(row["blockNumber"], 16) == number]
        return Reading(Basis.ROW, sorted(own, key=_place))

    def _executed(self, method: str, params: Sequence[Any]) -> Reading:
        try:
            return Reading(Basis.EXECUTED, self._again.answer(method, params))
        except (Miss, ToolError):
            return Reading(Basis.NONE)

    def _number(self, block: Any) -> int:
        return self.pin if block in (None, "latest") else 0 if block == "earliest" else int(block, 16)

    def _is_past(self, row: Mapping[str, Any]) -> bool:
        return int(row["blockNumber"], 16) <= self.pin

    def _logs_of(self, receipt: Mapping[str, Any]) -> list[dict[str, Any]]:
        return sorted((log for log in self._logs if log["transactionHash"] == receipt["transactionHash"]), key=_place)

    def stands(self, block: int) -> bool:
        """Whether a fork can stand at ``block``."""
        return block <= self.pin and can_pin(self._snapshot.heights, block)


def _only(rows: Sequence[Any]) -> Reading:
    return Reading(Basis.ROW, rows[0]) if rows else Reading(Basis.NONE)


def _place(row: Mapping[str, Any]) -> tuple[int, int]:
    return int(row["blockNumber"], 16), int(row.get("logIndex", row["transactionIndex"]), 16)


def _fits(log: Mapping[str, Any], query: Mapping[str, Any], number: Any) -> bool:
    """Whether a log is one that a filter asks for."""
    if not number(query.get("fromBlock")) <= int(log["blockNumber"], 16) <= number(query.get("toBlock")):
        return False
    address = query.get("address")
    wanted = [item.lower() for item in (address if isinstance(address, list) else [address]) if item]
    if wanted and log["address"] not in wanted:
        return False
    for at, topic in enumerate(query.get("topics") or ()):
        ones = [item.lower() for item in (topic if isinstance(topic, list) else [topic]) if item]
        if ones and (at >= len(log["topics"]) or log["topics"][at] not in ones):
            return False
    return True
