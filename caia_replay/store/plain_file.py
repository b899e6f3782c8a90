"""Reading what a stranger may have put in a file's place: a plain file, of a bounded size, or an error at once.

A few bytes of JSON become a hundred in memory, so its values are counted before any is made.
"""

from __future__ import annotations

import errno
import os
import re
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG

MAX_BYTES = 64 * 2**20
"""More than any seal, manifest or TOML file has."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NOT_BETWEEN = bytes(set(range(256)) - set(b"[{,"))


def open_plain(path: Path) -> BufferedReader:
    """A plain file, opened. Raises ``OSError``, for a pipe, a device or a folder too; none of them is waited for."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return os.fdopen(descriptor, "rb")


def read_plain(path: Path, limit_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a plain file. Raises ``OSError`` as ``open_plain``, and when there are more than ``limit_bytes``."""
    with open_plain(path) as file:
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise OSError(errno.EFBIG, f"it has more than {limit_bytes} bytes", str(path))
    return data


def require_few_values(data: bytes, most: int) -> None:
    """Raise ``ValueError`` for JSON of more than ``most`` values, not counting what is inside texts."""
    if sum(map(data.count, (b"[", b"{", b","))) <= most:
        return  # most stand inside texts, and looking closer takes time
    if len(_STRING.sub(b"", data).translate(None, _NOT_BETWEEN)) > most:
        raise ValueError(f"more than {most} values")
