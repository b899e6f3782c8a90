"""Opening a sealed snapshot folder: every file present, listed, unchanged, and of its schema."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay import canonical
from caia_replay.chain import manifest
from caia_replay.chain.manifest import MANIFEST_NAME, Manifest
from caia_replay.chain.manifest_upgrade import tables_since
from caia_replay.chain.snapshot_schema import parse_table
from caia_replay.chain.sorted_table import SortedTable
from caia_replay.chain.table import TABLES
from caia_replay.errors import BadInput, SealBroken


@dataclass(slots=True)
class SealedTables:
    """The tables of one folder, parsed when first asked for; safe to share between threads."""

    folder: Path
    manifest: Manifest
    paths: Mapping[str, Path]
    verify: bool
    _parsed: dict[str, SortedTable] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def table(self, name: str) -> SortedTable:
        """One table. Raises ``SealBroken`` when its file changed after the folder was opened."""
        found = self._parsed.get(name)
        if found is not None:
            return found
        with self._lock:
            if name not in self._parsed and name not in self.paths:
                self._parsed[name] = SortedTable(TABLES[name].schema.empty_table())  # its schema version has none
            elif name not in self._parsed:
                data = _read(self.paths[name])
                if self.verify:
                    _check_digest(data, self.paths[name], self.manifest, self.folder)
                self._parsed[name] = SortedTable(parse_table(data, name, self.paths[name]))
            return self._parsed[name]


def open_folder(folder: Path, verify: bool) -> SealedTables:
    """Check a snapshot folder and return its tables, unparsed.

    ``verify=False`` trusts the file contents (their presence, names and schema are still checked),
    for a caller that has verified them in this process. Raises ``SealBroken`` or ``BadInput``
    naming the file.
    """
    if not folder.is_dir():
        raise BadInput("is not a snapshot folder", where=folder, next_command="caia-replay world build")
    sealed = manifest.parse(_read(folder / MANIFEST_NAME), folder)
    present = {path.name for path in folder.iterdir()}
    for name in sorted(present - sealed.files.keys() - {MANIFEST_NAME}):
        raise SealBroken("is not listed in the manifest", where=folder / name, next_command=_seal_command(folder))
    paths: dict[str, Path] = {}
    for name in sorted(sealed.files):
        table_name = name.split("__")[1] if name.count("__") == 2 else ""
        if table_name not in TABLES or table_name in paths or Path(name).name != name:
            raise BadInput(f"the manifest lists {name!r:.80}, which is no table of this snapshot", where=folder)
        paths[table_name] = folder / name
        _check_file(folder / name, table_name, sealed, verify)
    lacking = TABLES.keys() - paths.keys() - tables_since(sealed.written_in)
    if lacking:
        raise BadInput(f"the manifest lists no {', '.join(sorted(lacking))} table", where=folder)
    return SealedTables(folder, sealed, paths, verify)


def _check_file(path: Path, table_name: str, sealed: Manifest, verify: bool) -> None:
    data = _read(path)
    if verify:
        _check_digest(data, path, sealed, path.parent)
    try:
        footer = pq.ParquetFile(pa.BufferReader(data))
        schema, rows = footer.schema_arrow, footer.metadata.num_rows
    except (pa.ArrowException, OSError, ValueError) as fault:
        raise BadInput(f"is not a Parquet file: {fault}", where=path) from fault
    if not schema.equals(TABLES[table_name].schema) or rows != sealed.files[path.name].rows:
        raise BadInput(f"has not the schema or row count of {table_name}", where=path)


def _check_digest(data: bytes, path: Path, sealed: Manifest, folder: Path) -> None:
    if canonical.digest_bytes(data) != sealed.files[path.name].digest:
        undo = f"to undo: git checkout -- {path}, to accept: {_seal_command(folder)}"
        raise SealBroken("was changed after it was sealed", where=path, next_command=undo)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise SealBroken("is missing", where=path, next_command=f"git checkout -- {path}") from None
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault


def _seal_command(folder: Path) -> str:
    return f"caia-replay lint --seal {folder}"
