"""trajectories.zip: every run of a cell, one JSON record each, as <task>/<attempt>.json.

A zip has an index, so that one run is read without the others, and any tool opens it. Folders of the first edition have
a file a run in trajectories/; they are read in the same way.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import open_plain, read_plain, require_few_values
from caia_replay.store.seal import UNFINISHED

TRAJECTORIES: Final = "trajectories.zip"
LOOSE: Final = "trajectories"
"""The folder of a file a run: of a journal, and of a run folder of the first edition."""
MOST_BYTES: Final = 2**30
"""In a file of a run folder: a run's record has every page that was read, a table all of a cell's runs."""
MOST_VALUES: Final = 5_000_000
"""Values in one of its JSON files, not counting what is inside texts: a record has a few for each result it shows."""
_MADE: Final = (1980, 1, 1, 0, 0, 0)
"""The moment of every entry: equal runs make equal files."""
_FAULTS: Final = (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error)
"""What zipfile raises for what is none, is cut off, encrypted, or compressed in a way of its own."""


def write_trajectories(cell: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write a cell's records as its one file; whole or not at all."""
    path = cell / TRAJECTORIES
    half = path.with_name(f".{path.name}{UNFINISHED}")
    with zipfile.ZipFile(half, "w") as file:
        for record in records:
            entry = zipfile.ZipInfo(_entry(record["task"], record["attempt"]), _MADE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, canonical_bytes(record))
    half.replace(path)


class Trajectories:
    """The records of one cell, by task and attempt; read anew each time. Use it as a context manager."""

    def __init__(self, cell: Path) -> None:
        self.is_packed = (cell / TRAJECTORIES).exists()
        self.path = cell / (TRAJECTORIES if self.is_packed else LOOSE)
        self._file: IO[bytes] | None = None
        self._zip: zipfile.ZipFile | None = None
        self._entries: dict[str, zipfile.ZipInfo | Path] = {}

    def __enter__(self) -> Trajectories:
        if not self.is_packed:
            found = sorted(self.path.glob("*/*.json"))
            self._entries = {path.relative_to(self.path).as_posix(): path for path in found}
            return self
        with _told(self.path):
            self._file = open_plain(self.path)
            self._zip = zipfile.ZipFile(self._file)
            entries = self._zip.infolist()
            if len({entry.filename for entry in entries}) < len(entries):
                raise ValueError("two entries have one name")
            self._entries = {entry.filename: entry for entry in entries}
        return self

    def __exit__(self, *_: object) -> None:
        for opened in (self._zip, self._file):
            if opened is not None:
                opened.close()

    def names(self) -> list[str]:
        """Every entry, sorted: <task>/<attempt>.json."""
        return sorted(self._entries)

    def where(self, task: str, attempt: int) -> Path:
        """Where a run's record is, for messages."""
        return self.path / _entry(task, attempt)

    def data(self, name: str) -> bytes:
        """One entry's bytes. Raises ``BadInput`` where there is none, or it cannot be read."""
        found = self._entries.get(name)
        with _told(self.path / name):
            if found is None:
                raise ValueError("there is no such run")
            if isinstance(found, Path):
                return read_plain(found, MOST_BYTES)
            assert self._zip is not None, "open it first"
            if found.file_size > MOST_BYTES:
                raise ValueError(f"it has more than {MOST_BYTES} bytes")
            return self._zip.read(found)

    def json(self, task: str, attempt: int) -> dict[str, Any]:
        """One run's record, whatever it says. Raises ``BadInput`` as ``data``, and for what is no JSON object."""
        name = _entry(task, attempt)
        data = self.data(name)
        with _told(self.path / name):
            require_few_values(data, MOST_VALUES)
            content = strict_json(data)
        if not isinstance(content, dict):
            raise BadInput("is no JSON object", where=self.path / name)
        return content

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return ((name, self.data(name)) for name in self.names())


def _entry(task: str, attempt: int) -> str:
    return f"{task}/{attempt}.json"


@contextmanager
def _told(where: Path) -> Iterator[None]:
    try:
        yield
    except _FAULTS as fault:
        raise BadInput(f"cannot be read: {fault or type(fault).__name__}", where=where) from fault
