"""Writing one table as Parquet, a row group at a time: what is not in the group is not in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay.chain.manifest import FileSeal
from caia_replay.chain.sealed_file import stream_digest
from caia_replay.chain.table import RpcTable, StateTable

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
