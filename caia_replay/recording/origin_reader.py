"""Questions to an origin node, each widened to whole rows and asked once; the methods are those of a ``Snapshot``.

Raises ``Miss`` where the node knows of no such thing, ``BadInput`` for answers that are malformed or contradict
earlier ones, and whatever the node raises.

A node may tell one thing in two ways (a log inside a receipt, and in eth_getLogs). What both tell must be equal, and
the fuller one is kept; anything else means that the chain changed while it was read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.canonical import strict_json
from caia_replay.chain import rpc_value
from caia_replay.chain.claim import Claim
from caia_replay.chain.column import json_text, to_hex
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.manifest import HARDFORKS
from caia_replay.chain.rpc_parameter import slot_word
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.chain.state_row import AccountRow, CodeRow, ReplyRow, StorageRow
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.recording.origin_node import AskedNode, OriginRefusal

_ACCOUNT: Final = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")


class OriginReader:
    """Reads one chain into ``kept``; not shared between threads."""

    def __init__(self, node: AskedNode, chain: str) -> None:
        self.kept = OriginRows()
        self._node = node
        self._chain = chain
        self._own_hardfork: str | None = None

    def account(self, address: bytes, block: int) -> AccountRow:
        """An account at the end of ``block``: balance, nonce and code together."""
        found = self.kept.accounts.get((address, block))
        if found is not None:
            return found
        calls = [(name, (to_hex(address), hex(block))) for name in _ACCOUNT]
        fields = dict(zip(_ACCOUNT, self._node.ask_all(calls), strict=True))
        where = self._at(block)
        balance, nonce = (rpc_value.quantity(fields, name, where) for name in _ACCOUNT[:2])
        return self.kept.add_account(address, block, balance, nonce, rpc_value.data(fields, _ACCOUNT[2], where))

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """A slot's 32 bytes at the end of ``block``; nodes write them with or without leading zeros."""
        key = (address, slot, block)
        if key not in self.kept.storage:
            reply = self._node.ask("eth_getStorageAt", to_hex(address), to_hex(slot), hex(block))
            self.kept.storage[key] = self._word(reply, block)
        return self.kept.storage[key]

    def read_many(self, slots: Iterable[tuple[bytes, bytes, int]], headers: Iterable[int]) -> None:
        """Keep slots (address, slot, block) and headers that nobody asked for, in as few requests as the node takes.

        Headers of blocks that the node has not are left out.
        """
        keys = [key for key in slots if key not in self.kept.storage]
        numbers = [number for number in headers if number not in self.kept.headers]
        calls = [("eth_getStorageAt", (to_hex(address), to_hex(slot), hex(at))) for address, slot, at in keys]
        for key, reply in zip(keys, self._node.ask_all(calls), strict=True):
            self.kept.storage[key] = self._word(reply, key[2])
        blocks = self._node.ask_all([("eth_getBlockByNumber", (hex(number), False)) for number in numbers])
        for number, reply in zip(numbers, blocks, strict=True):
            self._keep_block(number, reply)

    def code(self, code_hash: bytes) -> bytes:
        """The bytecode of an account that was asked for before."""
        if code_hash not in self.kept.codes:
            raise self._nothing("code", to_hex(code_hash))
        return self.kept.codes[code_hash]

    def find_header(self, number: int) -> dict[str, Any] | None:
        """A block's fields with the hashes of its transactions; None when there is no such block."""
        if number not in self.kept.headers:
            self._block(number, full=False)
        return self.kept.headers.get(number)

    def header(self, number: int) -> dict[str, Any]:
        """A block's fields with the hashes of its transactions."""
        found = self.find_header(number)
        if found is None:
            raise self._nothing("block", str(number))
        return found

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """A block's transactions in order."""
        if number not in self.kept.bodies:
            self._block(number, full=True)
        if number not in self.kept.bodies:
            raise self._nothing("block", f"{number} with all transactions")
        return self.kept.bodies[number]

    def number_of(self, block_hash: bytes, pin: int) -> int:
        """The number of the block with this hash, kept when it is not after ``pin``."""
        reply = self._node.ask("eth_getBlockByHash", to_hex(block_hash), False)
        if reply is None or rpc_value.quantity(reply, "number", self._at(pin)) > pin:
            raise self._nothing("block", to_hex(block_hash))
        return self.kept.add_block(reply, self._at(pin))

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any]:
        """A transaction mined up to ``pin``."""
        found = self._mined("eth_getTransactionByHash", "transaction", transaction_hash, pin)
        self.kept.add_transaction(found, self._at(pin))
        return found

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any]:
        """A receipt with its logs, mined up to ``pin``."""
        found = self._mined("eth_getTransactionReceipt", "receipt", transaction_hash, pin)
        self.kept.add_receipt(found, self._at(pin))
        return found

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """All receipts of a block in order, with their logs; claimed as complete."""
        header = self.find_header(number)
        if header is None:
            raise self._nothing("receipt", f"all of block {number}")
        try:
            reply = self._node.ask("eth_getBlockReceipts", hex(number))
        except OriginRefusal:  # a younger method than the one for single receipts, which every node has
            reply = self._node.ask_all([("eth_getTransactionReceipt", (item,)) for item in header["transactions"]])
        where = self._at(number)
        given = rpc_value.sequence(reply, "receipts", where)
        found = [dict(rpc_value.mapping(item, "a receipt", where)) for item in given]
        if [item.get("transactionHash") for item in found] != header["transactions"]:
            raise BadInput("the receipts are not those of the block's transactions", where=where)
        for item in found:
            self.kept.add_receipt(item, where)
        self.kept.claims.append(Claim("receipts", number, number))
        return found

    def logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        """The logs of a range that match, in chain order; claimed as complete.

        A range that is too much for the node is halved until it is not.
        """
        found = self._logs(first, last, wanted)
        self.kept.claims.append(Claim("logs", first, last, wanted.addresses, wanted.topics))
        return found

    def own_hardfork(self) -> str | None:
        """The rules that an Anvil says it runs its own chain under; None for other nodes and for forks of a chain."""
        if self._own_hardfork is None:
            try:
                value = self._node.ask("anvil_nodeInfo")
            except BadInput:  # however another node says that it knows no such method
                value = None
            fork = value.get("forkConfig") if isinstance(value, dict) else None
            plain = isinstance(fork, dict) and fork.get("forkUrl") is None
            name = str(value.get("hardFork")).lower() if plain else ""
            self._own_hardfork = name if name in HARDFORKS else ""
        return self._own_hardfork or None

    def reply(self, method: str, params: str, pin: int) -> Any:
        """The node's own reply to one exact question: a proof, or the trace of a transaction mined up to ``pin``."""
        asked = strict_json(params)
        if method == "eth_getProof":
            block = asked[2]
        else:
            block = self._mined("eth_getTransactionByHash", "trace", bytes.fromhex(asked[0][2:]), pin)["blockNumber"]
        result = self._node.ask(method, *asked)
        self.kept.replies[method, params] = ReplyRow(method, params, int(block, 16), json_text(result))
        return result

    def _block(self, number: int, full: bool) -> None:
        self._keep_block(number, self._node.ask("eth_getBlockByNumber", hex(number), full))

    def _keep_block(self, number: int, reply: Any) -> None:
        if reply is None:
            return
        where = self._at(number)
        if self.kept.add_block(rpc_value.mapping(reply, "the block", where), where) != number:
            raise BadInput("the origin node answered another block", where=where)

    def _mined(self, method: str, kind: str, transaction_hash: bytes, pin: int) -> dict[str, Any]:
        reply, where = self._node.ask(method, to_hex(transaction_hash)), self._at(pin)
        if reply is None or rpc_value.mapping(reply, "the reply", where).get("blockNumber") is None:
            raise self._nothing(kind, to_hex(transaction_hash))
        if rpc_value.quantity(reply, "blockNumber", where) > pin:
            raise self._nothing(kind, to_hex(transaction_hash))
        return dict(reply)

    def _nothing(self, kind: str, wanted: str) -> Miss:
        return Miss(kind, wanted, f"{self._chain}, as its origin node knows it")

    def _logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        asked = {"fromBlock": hex(first), "toBlock": hex(last), **wanted.to_rpc()}
        try:
            reply = self._node.ask("eth_getLogs", asked)
        except OriginRefusal:
            if first == last:
                raise
            middle = (first + last) // 2
            return self._logs(first, middle, wanted) + self._logs(middle + 1, last, wanted)
        where = f"origin node, logs of blocks {first} to {last}"
        found = [dict(rpc_value.mapping(log, "a log", where)) for log in rpc_value.sequence(reply, "logs", where)]
        for log in found:
            self.kept.add_log(log, where)
        return found

    def _word(self, reply: Any, block: int) -> bytes:
        try:
            return bytes.fromhex(slot_word(reply)[2:])
        except ToolError:
            raise BadInput(f"eth_getStorageAt answers {reply!r:.80}", where=self._at(block)) from None

    def _at(self, block: int) -> str:
        return f"origin node, {self._chain} at block {block}"


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
