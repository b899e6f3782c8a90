"""One table's Parquet file: opened by its footer, decoded and written a row group at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay.chain.manifest import FileSeal
from caia_replay.chain.sealed_file import SealedFile, seal_command, stream_digest
from caia_replay.chain.table import TABLES, RpcTable, StateTable
from caia_replay.errors import BadInput, SealBroken
from caia_replay.home import restore

_UNTIL: Final = "to_block"
_FAULTS: Final = (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError)


class TableFile:
    """The file of the table ``name``, safe to share between threads.

    ``rows`` are the numbers of rows of its groups; ``until`` is the column that says where the interval
    ends which the last key column begins, in tables that have one. Raises ``BadInput`` when the file is not Parquet
    or has not exactly the table's schema.
    """

    def __init__(self, file: SealedFile, name: str) -> None:
        self.name = name
        self.where = file.path
        self._file = file
        self._lock = threading.Lock()
        spec = TABLES[name]
        self.order: tuple[str, ...] = spec.order
        self.until = _UNTIL if _UNTIL in spec.schema.names else None
        try:
            self._parquet = parquet_file(file.view())
            footer = self._parquet.metadata
            schema = self._parquet.schema_arrow
            self.rows = [int(footer.row_group(at).num_rows) for at in range(footer.num_row_groups)]
        except _FAULTS as fault:
            raise BadInput(f"is not a Parquet file: {fault}", where=self.where) from fault
        if not schema.equals(spec.schema) or sum(self.rows) != footer.num_rows:
            raise BadInput(f"has not the schema or row count of {name}", where=self.where)

    def read(self, group: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one group, all columns or some.

        Raises ``SealBroken`` when the file changed after it was sealed, ``BadInput`` when it was
        sealed as something that cannot be read.
        """
        with self._lock:
            try:
                found = self._file.unchanged(lambda: self._decode(group, columns))
            except _FAULTS as fault:
                self._file.check_digest()
                kind = SealBroken if "CRC" in str(fault) else BadInput
                raise kind(
                    f"is not a readable {self.name} table, row group {group}: {fault}",
                    where=self.where,
                    next_command=restore(self.where),
                ) from fault
        if found.num_rows != self.rows[group]:
            raise self.fault(group, f"has {found.num_rows} rows, and the footer says {self.rows[group]}")
        return found

    def fault(self, group: int, what: str) -> BadInput:
        """A group that contradicts the footer, its neighbours or itself."""
        return BadInput(
            f"row group {group} of {self.name} {what}",
            where=self.where,
            next_command=f"{restore(self.where)}, or write it anew: {seal_command(self.where.parent)}",
        )

    def _decode(self, group: int, columns: Sequence[str] | None) -> pa.Table:
        found = self._parquet.read_row_group(
            group, columns=None if columns is None else list(columns), use_threads=False
        )
        found.validate(full=True)
        return found


def parquet_file(source: Any) -> pq.ParquetFile:
    """A Parquet file as this package reads it: page checksums held, and no thread of the reader's own."""
    # Read-ahead runs on threads that abort a process which exits right after.
    return pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)


_ZSTD_LEVEL: Final = 9
_ROWS_PER_GROUP: Final[Mapping[str, int]] = {"accounts": 4_096, "storage": 4_096, "codes": 64, "replies": 64}
_WIDE_ROWS_PER_GROUP: Final = 1_024
_REPEATED: Final[Mapping[str, list[str]]] = {"accounts": ["address"], "storage": ["address"]}
"""Columns with a dictionary, by table: one of slots or values, which hardly repeat, doubles the decoding time."""


def rows_per_group(spec: RpcTable | StateTable) -> int:
    """How many rows of a table are decoded together, for one lookup: fewer where rows are wide."""
    return _ROWS_PER_GROUP.get(spec.name, _WIDE_ROWS_PER_GROUP)


def row_groups(cells: Iterable[Mapping[str, Any]], spec: RpcTable | StateTable) -> Iterator[pa.Table]:
    """Rows by column name, sorted by the table's key, as the row groups they are written in."""
    rows = iter(cells)
    while group := list(islice(rows, rows_per_group(spec))):
        yield pa.Table.from_pylist(group, schema=spec.schema)


def write_table(path: Path, spec: RpcTable | StateTable, groups: Iterable[pa.Table]) -> FileSeal:
    """Write a new file, each table of ``groups`` one row group of it, and return its seal.

    The same groups give the same bytes. Raises ``OSError`` when the file exists or cannot be written.
    """
    rows = 0
    with path.open("xb+") as file:
        with pq.ParquetWriter(
            file,
            spec.schema,
            compression="zstd",
            compression_level=_ZSTD_LEVEL,
            use_dictionary=_REPEATED.get(spec.name, True),
            write_statistics=True,
            write_page_checksum=True,
            sorting_columns=[pq.SortingColumn(spec.schema.get_field_index(name)) for name in spec.order],
        ) as writer:
            for group in groups:
                writer.write_table(group, row_group_size=rows_per_group(spec))
                rows += group.num_rows
        file.flush()
        os.fsync(file.fileno())
        return FileSeal(stream_digest(file.fileno(), path), rows)
