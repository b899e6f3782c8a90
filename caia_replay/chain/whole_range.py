"""All rows of a table for a range of blocks, as recorded, or a miss: a range with a hole is no answer to a sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.rpc_row import encode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.table import BLOCKS, EXTRA, LOGS, RECEIPTS, TRANSACTIONS, RpcTable
from caia_replay.errors import Miss

MOST_UNCLAIMED: Final = 10_000
"""Blocks that are looked at one by one where no claim names the range."""

_KINDS: Final[Mapping[str, str]] = {
    BLOCKS.name: "block",
    TRANSACTIONS.name: "transaction",
    RECEIPTS.name: "receipt",
    LOGS.name: "logs",
}


def whole_range(source: ChainSource, table: RpcTable, first: int, last: int) -> pa.Table:
    """Every row of blocks ``first`` to ``last`` in the table's order, in its schema.

    Raises ``Miss``, naming table and range, unless it is known that there is no other.
    """
    if isinstance(source, Snapshot) and source.claims.covers(table.name, first, last):
        return source.rows(table.name, first, last)
    try:
        if last - first >= MOST_UNCLAIMED:
            raise Miss(_KINDS[table.name], f"{last - first + 1} blocks, none of them claimed", source.name)
        cells = [encode(table, row) for row in _rows(source, table, first, last)]
    except Miss as miss:
        wanted = f"all {table.name} of blocks {first} to {last}"
        raise Miss(_KINDS[table.name], wanted, source.name, f"{miss.detail.wanted}; {miss.detail.nearest}") from miss
    return pa.Table.from_pylist(cells, schema=table.schema)


def unfit_columns(table: RpcTable, rows: pa.Table) -> frozenset[str]:
    """Columns that some row has empty though the node said something, which no cell of that column can hold."""
    fields = {column.field: column.name for column in table.columns}
    kept = pc.drop_null(rows[EXTRA]).to_pylist()
    return frozenset(fields[name] for text in kept for name in strict_json(text)["fields"] if name in fields)


def computed_columns(source: ChainSource, first: int, last: int) -> frozenset[str]:
    """Columns of ``blocks`` that some header of the range has computed and not recorded."""
    fields = {column.field: column.name for column in BLOCKS.columns}
    value = (names for block, names in source.reconstructed.items() if first <= block <= last)
    return frozenset(fields[name] for names in value for name in names if name in fields)


def _rows(source: ChainSource, table: RpcTable, first: int, last: int) -> list[Mapping[str, Any]]:
    if table is LOGS:
        return list(source.logs(first, last, LogFilter()))
    numbers = range(first, last + 1)
    if table is BLOCKS:
        return [source.header(number) for number in numbers]
    if table is TRANSACTIONS:
        return [row for number in numbers for row in source.transactions(number)]
    return [
        {name: value for name, value in row.items() if name != "logs"}
        for number in numbers
        for row in source.receipts(number)
    ]
