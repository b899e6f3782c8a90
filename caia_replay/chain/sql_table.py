"""The tables SQL may read, made of recorded ones: cryo's names, every value exact, times beside every row.

    blocks            block_number block_hash parent_hash author gas_limit gas_used base_fee_per_gas size extra_data ...
    transactions      cryo's, the receipt's columns (gas_used, effective_gas_price, success, ...) joined to them
    logs              block_number transaction_index log_index transaction_hash address topic0..topic3 data
    erc20_transfers   of every log that has the form: erc20, from_address, to_address, value
    erc721_transfers  the same with erc721 and token_id

All have ``timestamp`` (seconds since 1970), ``block_time`` (TIMESTAMP, UTC) and ``chain_id``. Hashes, addresses and
bytes are lower-case 0x text. A 256-bit number comes three times, as in cryo: ``value_string``, exact decimal text,
``value_f64``, a double, and ``value``, an exact HUGEINT, which is left out where one of the range exceeds 2^127.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, DATA, FLAG, HASH, SEAL_NONCE, UINT64, Column
from caia_replay.chain.table import BLOCKS, LOGS, RECEIPTS, TRANSACTIONS, RpcTable
from caia_replay.chain.whole_range import computed_columns, unfit_columns, whole_range
from caia_replay.errors import Miss, ToolError

TABLES: Final = ("blocks", "erc20_transfers", "erc721_transfers", "logs", "transactions")
MOST_ROWS: Final = 2_000_000
"""Of one recorded table in one statement; more would not fit beside what the statement makes of them."""

_TRANSFER: Final = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
"""Transfer(address,address,uint256)."""
_BIGINT: Final = (1 << 63) - 1
_HUGEINT: Final = (1 << 127) - 1
_HEX: Final = (ADDRESS, HASH, SEAL_NONCE, DATA)
_WORD_BYTES: Final = 32
_FROM_RECEIPT: Final = ("contract_address", "cumulative_gas_used", "gas_used", "effective_gas_price", "status",
                        "blob_gas_used", "blob_gas_price")  # fmt: skip


@dataclass(slots=True)
class SqlTable:
    """One table for one statement: ``create`` makes it; ``absent`` are columns that were not recorded for all of the
    range, which are left out, and ``wide`` such as do not fit in 127 bits."""

    create: str
    absent: frozenset[str] = frozenset()
    wide: frozenset[str] = frozenset()


def sql_table(name: str, source: ChainSource, first: int, last: int, folder: Path) -> SqlTable:
    """A table of ``TABLES`` over blocks ``first`` to ``last``, its rows in files in ``folder``.

    Raises ``Miss`` where what it is made of is not known whole, and ``ToolError`` for more rows than fit.
    """
    return _Maker(source, first, last, folder).make(name)


def number_columns(name: str, values: list[int | None]) -> tuple[dict[str, pa.Array], frozenset[str]]:
    """The columns of 256-bit numbers: ``name_string``, ``name_f64`` and ``name``; and ``name`` if one is too wide.

    ``name`` is text here too: ``create_from`` casts it.
    """
    texts = pa.array([None if value is None else str(value) for value in values], pa.string())
    columns = {f"{name}_string": texts, f"{name}_f64": texts}
    if all(value is None or -_HUGEINT <= value <= _HUGEINT for value in values):
        return {name: texts, **columns}, frozenset()
    return columns, frozenset((name,))


def create_from(name: str, rows: pa.Table, folder: Path, order: str, casts: Mapping[str, str]) -> str:
    """CREATE TABLE over ``rows``, which are written into ``folder``. ``casts`` gives the SQL of columns that change."""
    path = folder / f"{name}.parquet"
    with path.open("wb") as sink:
        pq.write_table(rows, sink, compression="none")
    columns = ", ".join(f"{casts.get(column, _quoted(column))} AS {_quoted(column)}" for column in rows.column_names)
    place = str(path).replace("'", "''")
    return f"CREATE TABLE {name} AS SELECT {columns} FROM read_parquet('{place}') ORDER BY {order}"


def number_casts(names: list[str]) -> dict[str, str]:
    """The casts of ``number_columns``."""
    casts = {name: f"CAST({_quoted(name)} AS HUGEINT)" for name in names}
    return casts | {f"{name}_f64": f"CAST({_quoted(f'{name}_f64')} AS DOUBLE)" for name in names}


class _Maker:
    def __init__(self, source: ChainSource, first: int, last: int, folder: Path) -> None:
        self._source = source
        self._first = first
        self._last = last
        self._folder = folder

    def make(self, name: str) -> SqlTable:
        makers: Mapping[str, Callable[[], SqlTable]] = {
            "blocks": self._blocks,
            "transactions": self._transactions,
            "logs": lambda: self._of_logs("logs", self._rows(LOGS), {}, frozenset()),
            "erc20_transfers": lambda: self._transfers("erc20_transfers", "erc20", "value", 3),
            "erc721_transfers": lambda: self._transfers("erc721_transfers", "erc721", "token_id", 4),
        }
        return makers[name]()

    def _rows(self, table: RpcTable) -> pa.Table:
        rows = whole_range(self._source, table, self._first, self._last)
        if rows.num_rows > MOST_ROWS:
            raise ToolError(
                f"{table.name} has {rows.num_rows} rows from block {self._first} to {self._last}; one statement reads "
                f"{MOST_ROWS}: give a shorter range"
            )
        return rows

    def _blocks(self) -> SqlTable:
        rows = self._rows(BLOCKS)
        absent = unfit_columns(BLOCKS, rows) | computed_columns(self._source, self._first, self._last)
        columns, casts = _plain(BLOCKS, rows, absent)
        return self._created("blocks", columns, casts, "block_number", absent & columns_of(BLOCKS))

    def _transactions(self) -> SqlTable:
        rows = self._rows(TRANSACTIONS)
        absent = unfit_columns(TRANSACTIONS, rows)
        columns, casts = _plain(TRANSACTIONS, rows, absent | {"block_timestamp", "chain_id"})
        wide: frozenset[str] = frozenset()
        if "value_binary" not in absent:
            numbers, wide = number_columns("value", _words(rows["value_binary"]))
            columns |= numbers
            casts |= {name: cast for name, cast in number_casts(["value"]).items() if name in numbers}
        try:
            value, told_casts, untold = self._receipts(rows)
            columns, casts, absent = {**columns, **value}, {**casts, **told_casts}, absent | untold
        except Miss:
            absent |= {name if name != "status" else "success" for name in _FROM_RECEIPT}
        return self._created("transactions", columns, casts, "block_number, transaction_index", absent, wide)

    def _receipts(self, transactions: pa.Table) -> tuple[dict[str, Any], dict[str, str], frozenset[str]]:
        """What receipts add to transactions, row by row."""
        rows = self._rows(RECEIPTS)
        if not rows["transaction_hash"].equals(transactions["transaction_hash"]):
            raise Miss("receipt", f"one of each transaction of blocks {self._first} to {self._last}", self._source.name)
        untold = unfit_columns(RECEIPTS, rows)
        columns, casts = _plain(RECEIPTS, rows.select([*_FROM_RECEIPT]), untold)
        if "status" in columns:
            columns["success"] = columns.pop("status")
            casts = {name: cast for name, cast in casts.items() if name != "status"}
            casts["success"] = "success = 1"
        return columns, casts, frozenset(name if name != "status" else "success" for name in untold & {*_FROM_RECEIPT})

    def _transfers(self, name: str, token: str, number: str, topics: int) -> SqlTable:
        rows = self._rows(LOGS)
        wanted = pc.equal(rows["topic0"], pa.scalar(_TRANSFER, pa.binary(32)))
        for at in (1, 2):
            padded = pc.equal(pc.binary_slice(rows[f"topic{at}"].cast(pa.binary()), 0, 12), pa.scalar(bytes(12)))
            wanted = pc.and_kleene(wanted, padded)
        last = pc.is_valid(rows["topic3"]) if topics == 4 else pc.is_null(rows["topic3"])
        size = pc.equal(pc.binary_length(rows["data"]), 0 if topics == 4 else _WORD_BYTES)
        found = rows.filter(pc.and_kleene(wanted, pc.and_(last, size)))
        numbers, wide = number_columns(number, _words(found["topic3" if topics == 4 else "data"]))
        shown: dict[str, Any] = {token: found["address"]}
        for column, at in (("from_address", 1), ("to_address", 2)):
            shown[column] = pc.binary_slice(found[f"topic{at}"].cast(pa.binary()), 12, 32)
        casts = {column: _hex(column) for column in shown}
        casts |= {column: cast for column, cast in number_casts([number]).items() if column in numbers}
        dropped = {"address", "topic0", "topic1", "topic2", "topic3", "data"}
        return self._of_logs(name, found, {**shown, **numbers}, frozenset(dropped), casts, wide)

    def _of_logs(
        self,
        name: str,
        rows: pa.Table,
        more: Mapping[str, Any],
        dropped: frozenset[str],
        more_casts: Mapping[str, str] | None = None,
        wide: frozenset[str] = frozenset(),
    ) -> SqlTable:
        columns, casts = _plain(LOGS, rows, dropped | {"removed", "block_timestamp"})
        columns |= more
        casts |= dict(more_casts or {})
        return self._created(name, columns, casts, "block_number, log_index", unfit_columns(LOGS, rows), wide)

    def _created(
        self,
        name: str,
        columns: dict[str, Any],
        casts: dict[str, str],
        order: str,
        absent: frozenset[str],
        wide: frozenset[str] = frozenset(),
    ) -> SqlTable:
        times = self._times()
        if times is None:
            columns.pop("timestamp", None)
            absent |= {"timestamp", "block_time"}
        else:
            numbers = columns["block_number"].to_pylist()
            columns["timestamp"] = pa.array([times[number] for number in numbers], pa.int64())
            columns["block_time"] = columns["timestamp"]
            casts["timestamp"] = '"timestamp"'
            casts["block_time"] = "make_timestamp(block_time * 1000000)"
        columns["chain_id"] = pa.array([self._source.chain_id] * len(columns["block_number"]), pa.int64())
        rows = pa.table(columns)
        return SqlTable(create_from(name, rows, self._folder, order, casts), absent, wide)

    def _times(self) -> Mapping[int, int] | None:
        """When each block of the range was made; None where that is not recorded of all."""
        if "timestamp" in computed_columns(self._source, self._first, self._last):
            return None
        try:
            rows = whole_range(self._source, BLOCKS, self._first, self._last)
        except Miss:
            return None
        return dict(zip(rows["block_number"].to_pylist(), rows["timestamp"].to_pylist(), strict=True))


def columns_of(table: RpcTable) -> frozenset[str]:
    """The names of a recorded table's columns."""
    return frozenset(column.name for column in table.columns)


def _plain(
    table: RpcTable, rows: pa.Table, without: frozenset[str] | set[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Columns that need no thought, by name, with their casts: bytes as 0x text, numbers as BIGINT where they fit."""
    columns: dict[str, Any] = {}
    casts: dict[str, str] = {}
    for column in table.columns:
        if column.name in without or column.name not in rows.column_names:
            continue
        if column.form in _HEX:
            casts[column.name] = _hex(column.name)
        elif column.form is UINT64:
            casts[column.name] = f"CAST({_quoted(column.name)} AS {_width(rows, column)})"
        elif column.form is not FLAG:
            continue  # lists, blooms and 256-bit numbers
        columns[column.name] = rows[column.name]
    return columns, casts


def _width(rows: pa.Table, column: Column) -> str:
    most = pc.max(rows[column.name]).as_py()
    return "BIGINT" if most is None or most <= _BIGINT else "HUGEINT"


def _words(column: Any) -> list[int | None]:
    return [None if cell is None else int.from_bytes(cell, "big") for cell in column.to_pylist()]


def _hex(name: str) -> str:
    return f"'0x' || lower(hex({_quoted(name)}))"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
