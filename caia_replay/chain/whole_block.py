"""Which blocks are known whole: all their transactions, receipts or logs, by a claim or by their header.

A header's roots, bloom and list of hashes say what its block must hold. Fields of it that were computed
and not recorded are no evidence, and nothing is concluded from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from caia_replay.chain.claim import spans_words
from caia_replay.chain.column import to_hex
from caia_replay.chain.completeness import EMPTY_ROOT
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.rpc_row import decode
from caia_replay.chain.snapshot_file import SealedTables
from caia_replay.chain.table import BLOCKS

_EMPTY_BLOOM: Final = "0x" + "00" * 256
_MOST_UNCLAIMED: Final = 10_000
"""Blocks one question about logs may look at one by one. Each takes up to 0.3 ms; a question has 20 s in all,
and other questions wait for it."""

_HEADERS_KEPT: Final = 1_024
"""To find the newest block at a moment takes a dozen headers, mostly the same ones; to decode one takes 0.1 ms."""


class WholeBlocks:
    """What the tables of one snapshot hold whole, block by block."""

    def __init__(self, tables: SealedTables) -> None:
        self._tables = tables.tables
        self._claims = tables.manifest.info.claims
        self._reconstructed = tables.manifest.info.reconstructed
        self._header = lru_cache(_HEADERS_KEPT)(self._decoded)

    def header(self, number: int) -> dict[str, Any] | None:
        """A block's recorded RPC fields, whatever they are worth, or None."""
        found = self._header(number)
        return None if found is None else dict(found)

    def _decoded(self, number: int) -> dict[str, Any] | None:
        table = self._tables["blocks"]
        at = table.left(("block_number",), (number,))
        if at < len(table) and table.cell("block_number", at) == number:
            return decode(BLOCKS, table.row(at))
        return None

    def transactions(self, number: int) -> bool:
        """Whether all transactions of a block are recorded."""
        if self._claims.covers("transactions", number):
            return True
        value = self._told(number)
        if value.get("transactionsRoot") == EMPTY_ROOT:
            return True
        table = self._tables["transactions"]
        start, stop = table.span(("block_number",), (number,))
        have = [to_hex(table.cell("transaction_hash", at)) for at in range(start, stop)]
        return value.get("transactions") == have

    def receipts(self, number: int) -> bool:
        """Whether all receipts of a block are recorded, each with all its logs."""
        if self._claims.covers("receipts", number):
            return True
        if self._told(number).get("receiptsRoot") == EMPTY_ROOT:
            return True
        return self._rows("transactions", number) == self._rows("receipts", number) and self.transactions(number)

    def unknown_logs(self, first: int, last: int, wanted: LogFilter) -> str:
        """Why it is not known which logs of blocks ``first`` to ``last`` match, beside what is known; or nothing."""
        holes = self._claims.gaps("logs", first, last, wanted.addresses, wanted.topics)
        gaps = [gap for hole in holes for gap in self._claims.gaps("receipts", *hole)]
        for looked, number in enumerate(chain.from_iterable(range(start, stop + 1) for start, stop in gaps)):
            if looked == _MOST_UNCLAIMED:
                return f"{self._claimed_logs()}; no claim names block {number}, nor {looked} blocks before it"
            if not self.receipts(number) and self._told(number).get("logsBloom") != _EMPTY_BLOOM:
                return f"{self._claimed_logs()}; nothing says which logs block {number} has"
        return ""

    def _claimed_logs(self) -> str:
        spans = self._claims.spans("logs")
        return f"all logs of {spans_words(spans)}" if spans else "the logs of no block are complete"

    def _told(self, number: int) -> Mapping[str, Any]:
        """The header's fields that are evidence; none where no header is recorded."""
        absent = self._reconstructed.get(number, ())
        return {name: value for name, value in (self.header(number) or {}).items() if name not in absent}

    def _rows(self, table: str, number: int) -> int:
        start, stop = self._tables[table].span(("block_number",), (number,))
        return stop - start
