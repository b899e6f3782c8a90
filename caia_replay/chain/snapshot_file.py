"""Opening a sealed snapshot folder: every file present, listed, unchanged, and of its schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from caia_replay.chain import manifest
from caia_replay.chain.manifest import MANIFEST_NAME, Manifest
from caia_replay.chain.manifest_upgrade import tables_since
from caia_replay.chain.row_group import GroupCache
from caia_replay.chain.sealed_file import SealedFile, seal_command
from caia_replay.chain.sorted_table import SortedTable
from caia_replay.chain.table import TABLES
from caia_replay.chain.table_file import TableFile
from caia_replay.errors import BadInput, SealBroken
from caia_replay.home import restore
from caia_replay.store.plain_file import read_plain


@dataclass(frozen=True, slots=True)
class SealedTables:
    """The tables of one folder by name, opened by their footers; safe to share between threads.

    Their lookups raise ``SealBroken`` when a file changed after the folder was opened.
    """

    folder: Path
    manifest: Manifest
    tables: Mapping[str, SortedTable]


def open_folder(folder: Path) -> SealedTables:
    """Check a snapshot folder and return its tables, no row of them kept in memory.

    Each file is read through in pieces for its digest, and its keys a row group at a time for their
    order (``sorted_table``). Raises ``SealBroken`` or ``BadInput`` naming the file.
    """
    if not folder.is_dir():
        raise BadInput("is not a snapshot folder", where=folder, next_command="caia-replay world build")
    sealed = manifest.parse(_read(folder / MANIFEST_NAME), folder)
    present = {path.name for path in folder.iterdir()}
    for name in sorted(present - sealed.files.keys() - {MANIFEST_NAME}):
        raise SealBroken("is not listed in the manifest", where=folder / name, next_command=seal_command(folder))
    cache = GroupCache()
    tables: dict[str, SortedTable] = {}
    for name in sorted(sealed.files):
        table_name = name.split("__")[1] if name.count("__") == 2 else ""
        if table_name not in TABLES or table_name in tables or Path(name).name != name:
            raise BadInput(f"the manifest lists {name!r:.80}, which is no table of this snapshot", where=folder)
        tables[table_name] = _open_table(folder / name, table_name, sealed, cache)
    later = tables_since(sealed.written_in)
    lacking = TABLES.keys() - tables.keys() - later
    if lacking:
        raise BadInput(f"the manifest lists no {', '.join(sorted(lacking))} table", where=folder)
    none = {name: SortedTable(None, cache) for name in later - tables.keys()}
    return SealedTables(folder, sealed, {**none, **tables})


def _open_table(path: Path, table_name: str, sealed: Manifest, cache: GroupCache) -> SortedTable:
    file = SealedFile(path, sealed.files[path.name].digest)
    file.check_digest()
    content = TableFile(file, table_name)
    if sum(content.rows) != sealed.files[path.name].rows:
        raise BadInput(f"has not the schema or row count of {table_name}", where=path)
    return SortedTable(content, cache)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path)
    except FileNotFoundError:
        raise SealBroken("is missing", where=path, next_command=restore(path)) from None
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault
