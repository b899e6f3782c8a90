"""Rows as a node gives them, kept once each, until they are written as a snapshot.

A node may tell one thing in two ways (a log inside a receipt, and in eth_getLogs). What both tell must
be equal, and the fuller one is kept; anything else means that the chain changed while it was read.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.claim import Claim
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.chain.state_row import AccountRow, CodeRow, ReplyRow, StorageRow
from caia_replay.errors import BadInput


class OriginRows:
    """Everything kept of one chain, and what of it is complete. Raises ``BadInput`` for malformed rows."""

    def __init__(self) -> None:
        self.headers: dict[int, dict[str, Any]] = {}
        self.bodies: dict[int, list[dict[str, Any]]] = {}
        self.accounts: dict[tuple[bytes, int], AccountRow] = {}
        self.storage: dict[tuple[bytes, bytes, int], bytes] = {}
        self.codes: dict[bytes, bytes] = {}
        self.replies: dict[tuple[str, str], ReplyRow] = {}
        self.claims: list[Claim] = []
        self.transactions: dict[tuple[int, int], dict[str, Any]] = {}
        self.receipts: dict[tuple[int, int], dict[str, Any]] = {}
        self.logs: dict[tuple[int, int], dict[str, Any]] = {}

    def add_block(self, block: Mapping[str, Any], where: str) -> int:
        """A block with hashes or whole transactions; returns its number."""
        number = rpc_value.quantity(block, "number", where)
        rpc_value.hash32(block, "hash", where)
        items = rpc_value.sequence(block.get("transactions"), "transactions", where)
        whole = bool(items) and all(isinstance(item, dict) for item in items)
        hashes = [rpc_value.mapping(item, "a transaction", where).get("hash") for item in items] if whole else items
        self._keep(self.headers, number, {**block, "transactions": hashes}, where)
        if whole:
            for item in items:
                self.add_transaction(item, where)
        if whole or not items:
            self.bodies[number] = list(items)
        return number

    def add_transaction(self, transaction: Mapping[str, Any], where: str) -> None:
        """A mined transaction."""
        self._keep(self.transactions, self._place(transaction, "transactionIndex", where), dict(transaction), where)

    def add_receipt(self, receipt: Mapping[str, Any], where: str) -> None:
        """A receipt with all of its logs."""
        for log in rpc_value.sequence(receipt.get("logs"), "logs", where):
            self.add_log(rpc_value.mapping(log, "a log", where), where)
        kept = {name: value for name, value in receipt.items() if name != "logs"}
        self._keep(self.receipts, self._place(receipt, "transactionIndex", where), kept, where)

    def add_log(self, log: Mapping[str, Any], where: str) -> None:
        """One log of a mined transaction."""
        self._keep(self.logs, self._place(log, "logIndex", where), dict(log), where)

    def add_account(self, address: bytes, block: int, balance: int, nonce: int, code: bytes) -> AccountRow:
        """An account at the end of ``block``, its code with it."""
        code_hash = bytes(keccak(code))
        if code:
            self.codes[code_hash] = code
        row = AccountRow(address, block, block, balance, nonce, code_hash)
        self.accounts[address, block] = row
        return row

    @property
    def state_heights(self) -> set[int]:
        """The blocks at which state was read."""
        return {block for _, block in self.accounts} | {block for *_, block in self.storage}

    def rows(self) -> SnapshotRows:
        """All of it, as a snapshot is written from."""
        return SnapshotRows(
            blocks=list(self.headers.values()),
            transactions=list(self.transactions.values()),
            receipts=list(self.receipts.values()),
            logs=list(self.logs.values()),
            accounts=list(self.accounts.values()),
            storage=[
                StorageRow(address, slot, block, block, value) for (address, slot, block), value in self.storage.items()
            ],
            codes=[CodeRow(code_hash, code) for code_hash, code in self.codes.items()],
            replies=list(self.replies.values()),
        )

    def _place(self, rpc: Mapping[str, Any], index: str, where: str) -> tuple[int, int]:
        return rpc_value.quantity(rpc, "blockNumber", where), rpc_value.quantity(rpc, index, where)

    def _keep(self, kept: dict[Any, dict[str, Any]], key: Hashable, row: dict[str, Any], where: str) -> None:
        before = kept.get(key)
        if before is None:
            kept[key] = row
            return
        for name in before.keys() & row.keys():
            if before[name] != row[name]:
                raise BadInput(
                    f"the origin node gave {name!r} as {before[name]!r:.80} and then as {row[name]!r:.80}: "
                    "the chain changed while it was read",
                    where=where,
                    next_command="the same command again",
                )
        kept[key] = {**before, **row}
