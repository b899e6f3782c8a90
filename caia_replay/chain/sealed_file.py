"""One sealed file, kept open: read in pieces, and never after it changed.

The file is not mapped into memory: a mapped file that somebody truncates kills the process. It is
read with positioned reads, so threads and child processes that share it do not move one another.
"""

from __future__ import annotations

import hashlib
import io
import os
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from caia_replay.errors import BadInput, SealBroken
from caia_replay.home import restore

_CHUNK_BYTES: Final = 1 << 20

_T = TypeVar("_T")
_Mark = tuple[int, int, int, int, int]


class SealedFile:
    """A file whose SHA-256 is known. Not safe between threads: whoever reads it holds a lock.

    ``digest`` is ``sha256:`` and hex. Opening does not check it; ``check_digest`` does.
    """

    def __init__(self, path: Path, digest: str) -> None:
        self.path = path
        self._digest = digest
        self._adopt(_readable(path))

    def check_digest(self) -> None:
        """Read the file through in pieces. Raises ``SealBroken`` when it is not what was sealed."""
        descriptor = _readable(self.path)
        mark = _mark(os.fstat(descriptor))
        try:
            found = stream_digest(descriptor, self.path)
        except BadInput:
            os.close(descriptor)
            raise
        if found != self._digest:
            os.close(descriptor)
            undo = f"to undo: {restore(self.path)}, to accept: {seal_command(self.path.parent)}"
            raise SealBroken("was changed after it was sealed", where=self.path, next_command=undo)
        # The mark is from before the reading: a change while it was read shows as another mark.
        self._close()
        self._adopt(descriptor, mark)

    def unchanged(self, read: Callable[[], _T]) -> _T:
        """What ``read`` gives, the file being the same before and after it.

        A file that was touched, or put back from elsewhere, is held against its digest again.
        Raises ``SealBroken`` when its content is another or it is gone.
        """
        while True:
            if self._mark_on_disk() != self._mark:
                self.check_digest()
            found = read()
            if self._mark_on_disk() == self._mark:
                return found

    def view(self) -> io.RawIOBase:
        """The content as a binary file with a position of its own."""
        return _View(self)

    def size(self) -> int:
        """Bytes in the file when it was last looked at."""
        return self._mark[2]

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``offset``."""
        return os.pread(self._descriptor, size, offset)

    def _adopt(self, descriptor: int, mark: _Mark | None = None) -> None:
        self._descriptor = descriptor
        self._close = weakref.finalize(self, os.close, descriptor)
        self._mark = mark or _mark(os.fstat(descriptor))

    def _mark_on_disk(self) -> _Mark:
        try:
            return _mark(self.path.stat())
        except OSError as fault:
            raise _unreadable(self.path, fault) from fault


def stream_digest(descriptor: int, where: object) -> str:
    """SHA-256 of an open file as ``sha256:`` and hex, a piece at a time. Raises ``BadInput``."""
    found, offset = hashlib.sha256(), 0
    try:
        while piece := os.pread(descriptor, _CHUNK_BYTES, offset):
            found.update(piece)
            offset += len(piece)
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=where) from fault
    return "sha256:" + found.hexdigest()


def seal_command(folder: Path) -> str:
    """The command that accepts a folder as it is now."""
    return f"caia-replay lint --seal {folder}"


def _readable(path: Path) -> int:
    try:
        # A pipe in a table's place is empty, which no table is, and is not waited for.
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as fault:
        raise _unreadable(path, fault) from fault


def _unreadable(path: Path, fault: OSError) -> BadInput:
    if isinstance(fault, FileNotFoundError):
        return SealBroken("is missing", where=path, next_command=restore(path))
    return BadInput(f"cannot be read: {fault.strerror}", where=path)


def _mark(status: os.stat_result) -> _Mark:
    # The change time is in it because the modification time can be put back.
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class _View(io.RawIOBase):
    def __init__(self, file: SealedFile) -> None:
        super().__init__()
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file.size()}[whence]
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._file.size() - self._at if size is None or size < 0 else size
        data = self._file.read_at(self._at, max(wanted, 0))
        self._at += len(data)
        return data
