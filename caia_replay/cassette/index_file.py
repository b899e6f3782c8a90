"""The index on disk: one Arrow IPC file that holds every recorded answer of some cassettes, found by a hash.

Columns, one row per answer, sorted by hash (as two numbers), then by cassette, then in recorded order:

    hash      16 bytes     of the question's identity, keyed
    check     16 bytes     of the row's bytes, keyed
    cassette  uint32       which cassette, in order of precedence
    at, size  uint64       where the row's bytes stand in this very file
    by_key    uint32       the first row of each question, in order of identity; NO_ROW behind the last
    row       binary       what ``row_bytes`` wrote

The file is disposable, so it is believed only as far as it is proven: the six narrow columns are copied into memory
and checked against the seal when it is opened, a row against its check each time it is read. Seal, hashes, checks and
the file's name, which stands for what it was made from, are keyed (``private_folder``). It is written once, renamed
into place, and never changed.

Rows are read with pread, not through a mapping. A mapped file that anybody truncates, or whose disk fails, kills the
process with SIGBUS; a short read is an error like any other. The page cache is shared by all processes either way.
The price is one system call for the first use of an answer.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import struct
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa

from caia_replay.cassette.row_bytes import KEY_AT

NO_ROW = 0xFFFF_FFFF
_HASH = 16
_NARROW = ("hash", "check", "cassette", "at", "size", "by_key")
_TYPES = (pa.binary(_HASH), pa.binary(_HASH), pa.uint32(), pa.uint64(), pa.uint64(), pa.uint32())
_WIDTHS = (_HASH, _HASH, 4, 8, 8, 4)
_HALVES = struct.Struct("=2Q")
_SUFFIX = ".arrow"
_UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.partial")
_HOUR_S = 3600
_TOLD_BY = 16  # rows that are looked at to tell whose file it is


class Damaged(Exception):
    """An index that is not what this user's key sealed: told to nobody, answered by rebuilding."""


@dataclass(frozen=True, slots=True)
class Row:
    """One answer to be indexed: its question's identity, its cassette's place, and its bytes."""

    key: bytes
    cassette: int
    data: bytes


class IndexFile:
    """An opened index. Its methods raise ``Damaged`` where the file is not what was sealed; safe in threads."""

    def __init__(self, descriptor: int, narrow: Sequence[bytes], key: bytes) -> None:
        self._descriptor = descriptor
        self._key = key
        self._hashes, self._checks = narrow[:2]
        # Numbers compare inside bisect itself; slices of bytes would each be made first, at five times the price.
        self._heads: Sequence[int] = memoryview(self._hashes).cast("Q")[::2]
        cassettes, ats, sizes, by_key = (
            memoryview(data).cast("I" if width == 4 else "Q") for data, width in zip(narrow[2:], _WIDTHS[2:])
        )
        self._cassettes, self._ats, self._sizes = cassettes, ats, sizes
        self._by_key = by_key[: bisect_left(by_key, True, key=lambda row: row == NO_ROW)]

    def __del__(self) -> None:
        os.close(self._descriptor)

    @property
    def questions(self) -> int:
        """How many different questions there are."""
        return len(self._by_key)

    def hash_of(self, key: bytes) -> bytes:
        """The hash under which an identity is kept."""
        return blake2b(key, digest_size=_HASH, key=self._key).digest()

    def find(self, wanted: bytes) -> dict[int, range]:
        """The rows of a hash, by cassette, the winning one first; empty when it was never recorded."""
        hashes, rows = self._hashes, len(self._cassettes)
        head = _halves(wanted)[0]
        at = bisect_left(self._heads, head)
        while at < rows and self._heads[at] == head and hashes[at * _HASH : (at + 1) * _HASH] != wanted:
            at += 1
        found: dict[int, range] = {}
        while at < rows and hashes[at * _HASH : (at + 1) * _HASH] == wanted:
            begin, cassette = at, self._cassettes[at]
            while at < rows and self._cassettes[at] == cassette and hashes[at * _HASH : (at + 1) * _HASH] == wanted:
                at += 1
            found[cassette] = range(begin, at)
        return found

    def row(self, at: int) -> bytes:
        """The bytes of one row, proven."""
        data = self._read(self._ats[at], self._sizes[at])
        if _check(self._key, data) != self._checks[at * _HASH : (at + 1) * _HASH]:
            raise Damaged("a row was changed")
        return data

    def key_at(self, rank: int) -> bytes:
        """The identity of one question by its place in sorted order, proven by its hash."""
        at = self._by_key[rank]
        size = int.from_bytes(self._read(self._ats[at], 8), "little")
        if size > self._sizes[at] - KEY_AT:
            raise Damaged("a row was changed")
        key = self._read(self._ats[at] + KEY_AT, size)
        if self.hash_of(key) != self._hashes[at * _HASH : (at + 1) * _HASH]:
            raise Damaged("a key was changed")
        return key

    def _read(self, at: int, size: int) -> bytes:
        try:
            data = os.pread(self._descriptor, size, at)
            while len(data) < size:  # one read stops at 2 GiB
                if not (more := os.pread(self._descriptor, size - len(data), at + len(data))):
                    raise Damaged("the file was cut short")
                data += more
        except OSError as error:
            raise Damaged(str(error)) from error
        return data


def named(key: bytes, made_from: str) -> str:
    """64 hex digits to name an index by: a stranger cannot place a file there for Arrow to read."""
    return blake2b(made_from.encode("utf-8"), digest_size=32, key=key, person=b"caia-index-name").hexdigest()


def open_index_file(path: Path, key: bytes) -> IndexFile:
    """The index at ``path``. Raises ``Damaged`` when there is none that ``key`` sealed under this name."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Damaged(str(error)) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Damaged("not a file")
        # By its name, not through the descriptor: a Python file would be released in one of Arrow's threads, which
        # aborts a process that is about to end. Another file that got the name meanwhile has the same seal or none.
        with pa.OSFile(str(path)) as file:
            options = pa.ipc.IpcReadOptions(included_fields=list(range(len(_NARROW))), use_threads=False)
            reader = pa.ipc.open_file(file, options=options)
            schema = reader.schema
            if tuple(schema.names) != _NARROW or tuple(schema.types) != _TYPES:
                raise Damaged("another layout")
            if reader.num_record_batches > 1:
                raise Damaged("another layout")
            batch = reader.get_batch(0) if reader.num_record_batches else schema.empty_table()
            narrow = [_bytes(batch.column(at), width) if len(batch) else b"" for at, width in enumerate(_WIDTHS)]
            sealed = (schema.metadata or {}).get(b"seal", b"")
        if not secrets.compare_digest(sealed, _seal(key, path.name, narrow)):
            raise Damaged("not sealed by this user")
        return IndexFile(descriptor, narrow, key)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, Damaged) or not isinstance(error, Exception):
            raise
        raise Damaged(str(error)) from error  # Arrow says what is wrong with a file in many types


def is_of_key(path: Path, key: bytes) -> bool:
    """Whether ``key`` proves rows of the file at ``path``, for whatever name it was sealed: lint tells of such a file.

    Only for a path that ``named`` gave: Arrow reads the file.
    """
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with pa.OSFile(str(path)) as file:
            fields = [_NARROW.index("check"), len(_NARROW)]
            batch = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=fields)).get_batch(0)
            checks, rows = (column.slice(0, _TOLD_BY).to_pylist() for column in batch.columns)
        return any(_check(key, row) == check for check, row in zip(checks, rows, strict=True))
    except Exception:  # noqa: BLE001 -- Arrow says what is wrong with a file in many types
        return False


def write_index_file(path: Path, rows: Sequence[Row], key: bytes) -> None:
    """Write the index of ``rows``, which come in order of precedence, and drop older ones of the same world.

    Several processes may build the same one at once: each writes a file of its own, and the last rename wins. Raises
    OSError when the place cannot be written.
    """
    hashes = [blake2b(row.key, digest_size=_HASH, key=key).digest() for row in rows]
    order = sorted(
        range(len(rows)), key=lambda i: (_halves(hashes[i]), rows[i].cassette)
    )  # stable: recorded order is kept
    ordered = [rows[i] for i in order]
    first: dict[bytes, int] = {}
    for place, row in enumerate(ordered):
        first.setdefault(row.key, place)
    by_key = [first[one] for one in sorted(first)]
    columns = [
        pa.array([hashes[i] for i in order], _TYPES[0]),
        pa.array([_check(key, row.data) for row in ordered], _TYPES[1]),
        pa.array([row.cassette for row in ordered], _TYPES[2]),
        pa.array([0] * len(rows), _TYPES[3]),
        pa.array([len(row.data) for row in ordered], _TYPES[4]),
        pa.array(by_key + [NO_ROW] * (len(rows) - len(by_key)), _TYPES[5]),
        pa.array([row.data for row in ordered], pa.large_binary()),
    ]
    draft = _ipc(path.name, columns, key)
    base = _where_rows_stand(draft)
    ats = [base]
    for row in ordered:
        ats.append(ats[-1] + len(row.data))
    columns[3] = pa.array(ats[:-1], _TYPES[3])
    _publish(path, _ipc(path.name, columns, key))


def _publish(path: Path, data: pa.Buffer) -> None:
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(memoryview(data))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    for old in _left_behind(path):
        old.unlink(missing_ok=True)  # whoever has it open keeps it


def _left_behind(path: Path) -> Iterator[Path]:
    """Older indexes of the same world, and what a process that was killed while it wrote one left."""
    world, _, _ = path.stem.rpartition("-")
    same = re.compile(re.escape(world) + r"-[0-9a-f]{64}" + re.escape(_SUFFIX))
    for one in path.parent.iterdir():
        unfinished = _UNFINISHED.fullmatch(one.name)
        if one.name == path.name or not (unfinished or same.fullmatch(one.name)):
            continue
        try:
            found = one.lstat()
        except FileNotFoundError:
            continue  # another process was faster
        # Who shares this checkout has a key of their own, and an index takes no hour to write.
        if found.st_uid == os.getuid() and (not unfinished or time.time() - found.st_mtime > _HOUR_S):
            yield one


def _ipc(name: str, columns: list[pa.Array], key: bytes) -> pa.Buffer:
    narrow = [_bytes(column, width) for column, width in zip(columns, _WIDTHS)]
    batch = pa.record_batch(columns, names=[*_NARROW, "row"]).replace_schema_metadata(
        {"seal": _seal(key, name, narrow)}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _where_rows_stand(file: pa.Buffer) -> int:
    """The offset of the rows' bytes; the widths of the other columns do not depend on their values."""
    reader = pa.ipc.open_file(pa.BufferReader(file))
    if not reader.num_record_batches:
        return 0
    values = reader.get_batch(0).column(len(_NARROW)).buffers()[2]
    return int(values.address - file.address) if values is not None else 0


def _bytes(column: pa.Array, width: int) -> bytes:
    values = column.buffers()[1]
    if column.null_count or column.offset:
        raise Damaged("another layout")
    return values.to_pybytes()[: len(column) * width] if values is not None else b""


def _halves(wanted: bytes) -> tuple[int, int]:
    return _HALVES.unpack(wanted)


def _check(key: bytes, row: bytes) -> bytes:
    return blake2b(row, digest_size=_HASH, key=key).digest()


def _seal(key: bytes, name: str, narrow: Sequence[bytes]) -> bytes:
    sealed = blake2b(key=key, digest_size=32, person=b"caia-index-file")
    for part in (name.encode("utf-8", "surrogateescape"), *narrow):
        sealed.update(len(part).to_bytes(8, "little"))
        sealed.update(part)
    return sealed.hexdigest().encode()
