"""Reading what a stranger may have put in a file's place: a plain file, of a bounded size, or an error at once.

A few bytes of JSON become a hundred in memory, so its values are counted before any is made. Folders are walked as deep
as ours are nested, and then some: one inside another without end would overflow the stack.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG

from caia_replay.errors import BadInput

MAX_BYTES = 64 * 2**20
"""More than any seal, manifest or TOML file has."""

DEEPEST_FOLDER = 32
"""Folders in one another. A run folder has three, a world or a tape no more."""

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
        # Room is made for as many bytes as are asked for, whatever the file holds.
        data = file.read(min(limit_bytes, os.fstat(file.fileno()).st_size) + 1)
    if len(data) > limit_bytes:
        raise OSError(errno.EFBIG, f"it has more than {limit_bytes} bytes", str(path))
    return data


def read_text(path: Path, limit_bytes: int = MAX_BYTES) -> str:
    """A stranger's text. Raises ``BadInput`` unless it is a plain file of at most ``limit_bytes`` in UTF-8."""
    try:
        return read_plain(path, limit_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadInput(f"is not UTF-8 (byte {fault.start})", where=path, next_command="save it as UTF-8") from None
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None


def folders_below(top: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Each folder from ``top`` downwards with the names of its folders and of its other entries; no link is followed.

    Raises ``BadInput`` for folders nested more than ``DEEPEST_FOLDER`` deep.
    """
    for root, folders, names in os.walk(top, followlinks=False):
        folder = Path(root)
        if len(folder.parts) - len(top.parts) > DEEPEST_FOLDER:
            raise BadInput(f"holds folders nested more than {DEEPEST_FOLDER} deep", where=top)
        yield folder, folders, names


def require_few_values(data: bytes, most: int) -> None:
    """Raise ``ValueError`` for JSON of more than ``most`` values, not counting what is inside texts."""
    if sum(map(data.count, (b"[", b"{", b","))) <= most:
        return  # most stand inside texts, and looking closer takes time
    if len(_STRING.sub(b"", data).translate(None, _NOT_BETWEEN)) > most:
        raise ValueError(f"more than {most} values")
