"""A sealed snapshot: what it knows, it answers; what it does not know, it misses.

Every lookup that takes a ``pin`` answers as the chain stood at the end of that block: later
blocks, transactions and logs do not exist for it. None means *provably nothing*; a question
outside what was recorded raises ``errors.Miss``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from eth_hash.auto import keccak

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import hardfork_at
from caia_replay.chain.column import to_hex
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.rpc_row import decode
from caia_replay.chain.snapshot_file import SealedTables, open_folder
from caia_replay.chain.sorted_table import nearest_row
from caia_replay.chain.state_row import EMPTY_CODE_HASH, NO_ACCOUNT_HASH, AccountRow, from_cells, question_key
from caia_replay.chain.table import LOGS, RECEIPTS, TABLES, TRANSACTIONS
from caia_replay.chain.whole_block import WholeBlocks
from caia_replay.errors import Miss

_ZERO_WORD: Final = bytes(32)

_ACCOUNT_KEY: Final = ("address", "from_block")
_STORAGE_KEY: Final = ("address", "slot", "from_block")


class Snapshot:
    """One chain's recorded tables, read-only and safe to share between threads."""

    timeout_s: Final = 20.0
    """How long one question may take: files are near."""

    def __init__(self, tables: SealedTables) -> None:
        """The fields of ``manifest.SnapshotInfo`` are its own; ``name`` is the chain's, as anchors say it, and
        ``digest``, the manifest's, covers every byte of ``folder``."""
        info = tables.manifest.info
        self.folder: Final = tables.folder
        self.digest: Final = tables.manifest.digest
        self.name: Final = info.chain
        self.chain_id: Final = info.chain_id
        self.hardforks: Final = info.hardforks
        self.heights: Final = info.heights
        self.provenance: Final = info.provenance
        self.source: Final = info.source
        self.claims: Final = info.claims
        self.reconstructed: Final = info.reconstructed
        self._tables = tables.tables
        self._whole = WholeBlocks(tables)
        self._callers: dict[int, str | None] = {}

    @classmethod
    def open(cls, folder: Path) -> Snapshot:
        """Open a folder strictly. Raises ``SealBroken`` or ``BadInput`` naming the file."""
        return cls(open_folder(folder))

    @property
    def numbers(self) -> Sequence[int]:
        """The blocks whose headers are recorded, ascending."""
        return self._tables["blocks"].column("block_number")

    def hardfork(self, block: int) -> str:
        """The rules Anvil must run at ``block``, as its ``--hardfork`` word."""
        return hardfork_at(self.hardforks, block)

    def account(self, address: bytes, block: int) -> AccountRow:
        """An account at the end of ``block``: recorded, or empty where accounts are complete. Raises ``Miss``."""
        table = self._tables["accounts"]
        at = table.right(_ACCOUNT_KEY, (address, block)) - 1
        if at >= 0 and table.cell("address", at) == address and table.cell("to_block", at) >= block:
            row = from_cells("accounts", table.row(at))
            assert isinstance(row, AccountRow)
            return row
        if self.claims.covers("accounts", block):
            return AccountRow(address, block, block, 0, 0, EMPTY_CODE_HASH)
        raise Miss("account", to_hex(address), self._at(block), nearest_row(table, _ACCOUNT_KEY, (address, block)))

    def caller(self, block: int) -> str | None:
        """Who makes a call at ``block`` that names no sender; None when no account would do.

        The zero address, as nodes do it, where it is recorded; else the first account without code.
        """
        if block not in self._callers:
            self._callers[block] = self._find_caller(block)
        return self._callers[block]

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """A slot's 32 bytes at the end of ``block``: recorded, or zero where storage is complete. Raises ``Miss``."""
        table = self._tables["storage"]
        at = table.right(_STORAGE_KEY, (address, slot, block)) - 1
        if at >= 0 and table.cell("to_block", at) >= block:
            found: bytes = table.cell("value", at)
            if table.cell("address", at) == address and table.cell("slot", at) == slot:
                return found
        if self.claims.covers("storage", block, addresses=(address,)):
            return _ZERO_WORD
        near = nearest_row(table, _STORAGE_KEY, (address, slot, block))
        raise Miss("storage", f"{to_hex(address)} slot {to_hex(slot)}", self._at(block), near)

    def code(self, code_hash: bytes) -> bytes:
        """The bytecode under a hash; no bytes for the empty hash. Raises ``Miss``, ``BadInput`` for code of another."""
        if code_hash in (EMPTY_CODE_HASH, NO_ACCOUNT_HASH):
            return b""
        table = self._tables["codes"]
        at = table.left(("code_hash",), (code_hash,))
        if at < len(table) and table.cell("code_hash", at) == code_hash:
            code: bytes = table.row(at)["code"]
            if keccak(code) != code_hash:
                raise table.fault(at, f"holds code under {to_hex(code_hash)}, which is not its hash")
            return code
        raise Miss("code", to_hex(code_hash), self.name, nearest_row(table, ("code_hash",), (code_hash,)))

    def header(self, number: int) -> dict[str, Any]:
        """A block's recorded RPC fields; ``transactions`` only when its hashes were recorded in it. Raises ``Miss``."""
        found = self._whole.header(number)
        if found is not None:
            return found
        nearest = nearest_row(self._tables["blocks"], ("block_number",), (number,))
        raise Miss("block", str(number), self.name, nearest)

    def number_of(self, block_hash: bytes, pin: int) -> int | None:
        """The number of the block with this hash; None when there is provably none up to ``pin``. Raises ``Miss``."""
        at = self._place("block", "blocks", "block_hash", block_hash, pin)
        return None if at is None else int(self._tables["blocks"].cell("block_number", at))

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """All transactions of a block in order, as RPC objects. Raises ``Miss`` when that is not known."""
        table = self._tables["transactions"]
        start, stop = table.span(("block_number",), (number,))
        if not self._whole.transactions(number):
            # A block without a header is missed as that, beside its nearest neighbour.
            self.header(number)
            known = f"{stop - start} of its transactions are recorded"
            raise Miss("block", f"{number} with all transactions", self.name, known)
        return [decode(TRANSACTIONS, cells) for cells in table.rows(start, stop)]

    def block(self, number: int, full: bool) -> dict[str, Any]:
        """A block as eth_getBlockByNumber gives it: whole transactions if ``full``, else hashes. Raises ``Miss``."""
        header = self.header(number)
        if full:
            return {**header, "transactions": self.transactions(number)}
        if "transactions" in header:
            return header
        return {**header, "transactions": [item["hash"] for item in self.transactions(number)]}

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A transaction mined up to ``pin``; None when there is provably none. Raises ``Miss``."""
        at = self._place("transaction", "transactions", "transaction_hash", transaction_hash, pin)
        return None if at is None else decode(TRANSACTIONS, self._tables["transactions"].row(at))

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A receipt with its logs, mined up to ``pin``; None when there is provably none. Raises ``Miss``."""
        at = self._place("receipt", "receipts", "transaction_hash", transaction_hash, pin)
        return None if at is None else self._receipts(at, at + 1)[0]

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """All receipts of a block in order, with their logs. Raises ``Miss`` when that is not known."""
        start, stop = self._tables["receipts"].span(("block_number",), (number,))
        if not self._whole.receipts(number):
            known = f"{stop - start} of its receipts are recorded"
            raise Miss("receipt", f"all of block {number}", self.name, known)
        return self._receipts(start, stop)

    def logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        """The logs of blocks ``first`` to ``last`` that match, in chain order.

        Raises ``Miss`` when for any block of the range it is not known which logs it has.
        """
        unknown = self._whole.unknown_logs(first, last, wanted)
        if unknown:
            raise Miss("logs", f"blocks {first} to {last}, {wanted.words()}", self.name, unknown)
        table = self._tables["logs"]
        start = table.left(("block_number",), (first,))
        stop = table.right(("block_number",), (last,))
        parts = (wanted.select(part) for part in table.parts(start, stop))
        return [decode(LOGS, cells) for part in parts for cells in part.to_pylist()]

    def columns(self, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of all rows of a table, in its order and past every cache: for who looks at every row."""
        return self._tables[table].columns(names)

    def rows(self, table: str, first: int, last: int) -> pa.Table:
        """The recorded rows of blocks ``first`` to ``last`` of a table that is sorted by them, whole or not."""
        found = self._tables[table]
        start, stop = found.left(("block_number",), (first,)), found.right(("block_number",), (last,))
        return pa.concat_tables([TABLES[table].schema.empty_table(), *found.parts(start, stop)])

    def reply(self, method: str, params: str, pin: int) -> Any:
        """A recorded reply to exactly this question (``state_row.ReplyRow``), existing at ``pin``.

        Raises ``Miss``, and ``BadInput`` where the row found is of another question or no JSON.
        """
        table = self._tables["replies"]
        key = question_key(method, params)
        at = table.left(("question",), (key,))
        if at < len(table) and table.cell("question", at) == key and table.cell("block_number", at) <= pin:
            row = table.row(at)
            if (row["method"], row["params"]) != (method, params):
                raise table.fault(at, f"holds a reply to {row['method']} under the key of {method} {params:.80}")
            try:
                return strict_json(row["reply"])
            except ValueError as fault:
                raise table.fault(at, f"holds a reply to {method} that is no JSON: {fault}") from fault
        raise Miss("state", f"{method} {params}", self._at(pin))

    def _place(self, kind: str, name: str, column: str, wanted: bytes, pin: int) -> int | None:
        """The row of the table ``name`` with this hash, of a block up to ``pin``; None when there provably is none."""
        table = self._tables[name]
        at = table.by_hash(column, wanted)
        if at is not None and table.cell("block_number", at) <= pin:
            return at
        if self.claims.covers(name, 0, pin):
            return None
        raise Miss(kind, to_hex(wanted), self._at(pin))

    def _find_caller(self, block: int) -> str | None:
        try:
            self.account(bytes(20), block)
            return to_hex(bytes(20))
        except Miss:
            pass
        at, plain = pa.scalar(block, pa.uint64()), pa.scalar(EMPTY_CODE_HASH, pa.binary(32))
        for part in self._tables["accounts"].columns(("address", "from_block", "to_block", "code_hash")):
            known = pc.and_(pc.less_equal(part["from_block"], at), pc.greater_equal(part["to_block"], at))
            row = pc.index(pc.and_(known, pc.equal(part["code_hash"], plain)), True).as_py()
            if row >= 0:
                return to_hex(part["address"][row].as_py())
        return None

    def _receipts(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Receipts of one block with their logs; each log of the block is read once."""
        receipts = self._tables["receipts"].rows(start, stop)
        if not receipts:
            return []
        table = self._tables["logs"]
        logs: dict[int, list[dict[str, Any]]] = {}
        for cells in table.rows(*table.span(("block_number",), (receipts[0]["block_number"],))):
            logs.setdefault(cells["transaction_index"], []).append(cells)
        return [
            {**decode(RECEIPTS, cells), "logs": [decode(LOGS, log) for log in logs.get(cells["transaction_index"], ())]}
            for cells in receipts
        ]

    def _at(self, block: int) -> str:
        return f"{self.name} at block {block}"
