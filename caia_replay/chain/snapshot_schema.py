"""Writing, reading and resealing a snapshot folder.

    <chain>/manifest.json
    <chain>/<chain>__<table>__<from>_to_<to>.parquet      one per table, also when it has no rows

The same rows and info give the same bytes, whatever order the rows come in.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from caia_replay.chain import manifest, rpc_row, state_row, table
from caia_replay.chain.claim import Span
from caia_replay.chain.column import to_hex
from caia_replay.chain.completeness import check_claims
from caia_replay.chain.manifest import MANIFEST_NAME, FileSeal, SnapshotInfo
from caia_replay.chain.manifest_upgrade import tables_since
from caia_replay.chain.state_row import AccountRow, CodeRow, ReplyRow, StorageRow
from caia_replay.chain.table_file import parquet_file, row_groups, write_table
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain

__all__ = [
    "AccountRow",
    "CodeRow",
    "ReplyRow",
    "SnapshotInfo",
    "SnapshotRows",
    "StorageRow",
    "file_name",
    "parse_table",
    "read_snapshot",
    "reseal",
    "write_groups",
    "write_snapshot",
]

Spec = table.RpcTable | table.StateTable
Groups = tuple[Span, Iterable[pa.Table]]
"""The blocks a table's file is named after, and its row groups."""

_FOUND_BY: Final = {"blocks": "block_hash", "transactions": "transaction_hash", "receipts": "transaction_hash"}
"""Columns that a table is searched by though it is not sorted by them; no two rows may share a cell."""


@dataclass(slots=True)
class SnapshotRows:
    """Everything a snapshot holds, in any order; equal repeats are written once.

    ``blocks``: RPC headers, whose ``transactions`` is left out or a list of hashes (leave it out
    where the transactions table holds the whole block). ``receipts``: RPC receipts without
    ``logs``; whoever adds a receipt adds all of its logs to ``logs``.
    """

    blocks: list[dict[str, Any]] = field(default_factory=list)
    transactions: list[dict[str, Any]] = field(default_factory=list)
    receipts: list[dict[str, Any]] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)
    accounts: list[AccountRow] = field(default_factory=list)
    storage: list[StorageRow] = field(default_factory=list)
    codes: list[CodeRow] = field(default_factory=list)
    replies: list[ReplyRow] = field(default_factory=list)


def write_snapshot(folder: Path, info: SnapshotInfo, rows: SnapshotRows) -> None:
    """Write a new sealed snapshot, whole or not at all.

    Raises ``BadInput`` when the folder exists, ``info`` or a row is malformed, two rows say
    different things under one key or share the hash they are found by, or intervals of one key
    overlap with different values.
    """
    _refuse_existing(folder)
    _create(folder, _checked(info, rows), lambda spec: _groups(spec, rows, info))


def write_groups(folder: Path, info: SnapshotInfo, groups: Mapping[str, Iterable[pa.Table]]) -> None:
    """Write a new sealed snapshot of tables that are sorted already, ``table_file.row_groups`` by name.

    For more rows than fit into memory as objects; nothing of them is checked. A table that is left out
    has no rows. Raises ``BadInput`` when the folder exists.
    """
    _refuse_existing(folder)
    heights = (info.heights[0][0], info.heights[-1][1])
    _create(folder, info, lambda spec: (heights, groups.get(spec.name, ())))


def read_snapshot(folder: Path) -> tuple[SnapshotInfo, SnapshotRows]:
    """Info and rows of a folder, its seal not checked: for merging and resealing. Raises ``BadInput``."""
    info, version = manifest.parse_info(_read(folder / MANIFEST_NAME), folder)
    rows = SnapshotRows()
    missing = set(table.TABLES) - tables_since(version)
    for path in sorted(folder.iterdir()):
        if path.name == MANIFEST_NAME:
            continue
        name = _table_of(path.name, info.chain)
        if name is None or not path.is_file():
            raise BadInput("is not a file of this snapshot", where=path, next_command=f"remove {path}")
        parsed = parse_table(_read(path), name, path)
        spec = table.TABLES[name]
        for cells in parsed.to_pylist():
            item = (
                rpc_row.decode(spec, cells) if isinstance(spec, table.RpcTable) else state_row.from_cells(name, cells)
            )
            getattr(rows, name).append(item)
        missing.discard(name)
    if missing:
        lost = folder / f"{info.chain}__{min(missing)}__*.parquet"
        raise BadInput(f"the {min(missing)} table is missing", where=folder, next_command=f"git checkout -- '{lost}'")
    return info, rows


def reseal(folder: Path) -> None:
    """Write the folder anew, canonical and sealed, after a hand edit of its manifest or tables.

    Raises ``BadInput`` when a file is missing or cannot be parsed as its table, when rows contradict each
    other, or when a table that is said to be complete cannot be.
    """
    if not folder.is_dir():
        raise BadInput("is not a snapshot folder", where=folder)
    info, rows = read_snapshot(folder)
    temporary = _write_beside(folder, _checked(info, rows), lambda spec: _groups(spec, rows, info))
    retired = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.old")
    try:
        folder.rename(retired)
        temporary.rename(folder)
    except OSError as fault:
        if retired.exists() and not folder.exists():
            retired.rename(folder)
        shutil.rmtree(temporary, ignore_errors=True)
        raise BadInput(f"cannot be replaced: {fault}", where=folder) from fault
    shutil.rmtree(retired)


def file_name(chain: str, table_name: str, span: Span) -> str:
    """A table file's name: chain, table, and the blocks it spans, at least eight digits each."""
    return f"{chain}__{table_name}__{span[0]:08d}_to_{span[1]:08d}.parquet"


def parse_table(data: bytes, name: str, where: object) -> pa.Table:
    """One table file as an Arrow table of exactly its schema, one chunk. Raises ``BadInput``."""
    try:
        parsed = parquet_file(pa.BufferReader(data)).read(use_threads=False)
        parsed.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as fault:
        raise BadInput(f"is not a readable {name} table: {fault}", where=where) from fault
    expected = table.TABLES[name].schema
    if not parsed.schema.equals(expected):
        found = {field.name: str(field.type) for field in parsed.schema}
        wrong = [f.name for f in expected if found.pop(f.name, None) != str(f.type)] + sorted(found)
        raise BadInput(f"has not the schema of {name}: {', '.join(wrong) or 'order or nullability'}", where=where)
    return parsed.combine_chunks()


def _checked(info: SnapshotInfo, rows: SnapshotRows) -> SnapshotInfo:
    manifest.check_info(info)
    check_claims(info, rows.blocks, rows.transactions, rows.receipts, rows.logs)
    return info


def _groups(spec: Spec, rows: SnapshotRows, info: SnapshotInfo) -> tuple[Span, Iterator[pa.Table]]:
    """The blocks that the rows of one table span, and its row groups."""
    items = getattr(rows, spec.name)
    heights = (info.heights[0][0], info.heights[-1][1])
    if not isinstance(spec, table.RpcTable):
        return heights, row_groups(state_row.to_cells(spec.name, items), spec)
    cells = _unique([rpc_row.encode(spec, item) for item in items], spec)
    numbers = [row["block_number"] for row in cells]
    return (min(numbers), max(numbers)) if numbers else heights, row_groups(cells, spec)


def _unique(cells: list[dict[str, Any]], spec: table.RpcTable) -> list[dict[str, Any]]:
    """Rows sorted by their key, equal repeats dropped. Raises ``BadInput`` for unequal ones."""
    out: list[dict[str, Any]] = []
    for row in sorted(cells, key=lambda row: tuple(row[name] for name in spec.order)):
        if out and all(row[name] == out[-1][name] for name in spec.order):
            if row != out[-1]:
                key = ", ".join(f"{name} {row[name]}" for name in spec.order)
                raise BadInput(f"two different rows of {spec.name} share {key}")
            continue
        out.append(row)
    if spec.name in _FOUND_BY:
        _refuse_repeats(out, spec.name, _FOUND_BY[spec.name])
    return out


def _refuse_repeats(cells: list[dict[str, Any]], table_name: str, name: str) -> None:
    """Raise ``BadInput`` where one hash is that of two rows: a lookup would find only one of them."""
    seen: dict[bytes, int] = {}
    for row in cells:
        if row[name] in seen:
            blocks = f"blocks {seen[row[name]]} and {row['block_number']}"
            raise BadInput(f"two rows of {table_name}, in {blocks}, share {name} {to_hex(row[name])}")
        seen[row[name]] = row["block_number"]


def _refuse_existing(folder: Path) -> None:
    if folder.exists():
        raise BadInput("a snapshot is never written over", where=folder, next_command=f"remove {folder} first")


def _create(folder: Path, info: SnapshotInfo, groups: Callable[[Spec], Groups]) -> None:
    temporary = _write_beside(folder, info, groups)
    try:
        temporary.rename(folder)
    except OSError as fault:
        shutil.rmtree(temporary, ignore_errors=True)
        raise BadInput(f"cannot be created: {fault}", where=folder) from fault


def _write_beside(folder: Path, info: SnapshotInfo, groups: Callable[[Spec], Groups]) -> Path:
    """A temporary folder with every file of the snapshot, or nothing. One table's rows are rendered at a time."""
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.mkdir(parents=True)
        seals: dict[str, FileSeal] = {}
        for name, spec in table.TABLES.items():
            span, parts = groups(spec)
            path = file_name(info.chain, name, span)
            seals[path] = write_table(temporary / path, spec, parts)
        with (temporary / MANIFEST_NAME).open("xb") as file:
            file.write(manifest.render(info, seals))
            file.flush()
            os.fsync(file.fileno())
    except BaseException as fault:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(fault, OSError):
            raise BadInput(f"cannot be written: {fault}", where=folder) from fault
        raise
    return temporary


def _read(path: Path) -> bytes:
    try:
        return read_plain(path)
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault


def _table_of(name: str, chain: str) -> str | None:
    parts = name.removesuffix(".parquet").split("__")
    fits = name.endswith(".parquet") and len(parts) == 3 and parts[0] == chain and parts[1] in table.TABLES
    return parts[1] if fits else None
