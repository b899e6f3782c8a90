"""Reading what a stranger may have put in a file's place: a plain file, of a bounded size, or an error at once."""

from __future__ import annotations

import errno
import os
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG

MAX_BYTES = 64 * 2**20
"""More than any seal, manifest or TOML file has."""


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
