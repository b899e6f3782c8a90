"""A cassette's file, before anything in it is believed: read within bounds, and its values counted before any is made.

A few bytes of JSON become a hundred in memory, and what lies in a cassette's place may be a pipe or have no end.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from stat import S_ISREG

from caia_replay.errors import BadInput

MAX_CASSETTE_BYTES = 256 * 2**20
MAX_VALUES = 8_000_000
"""Values in a cassette's JSON, not counting what is inside texts: three bytes of it may become a hundred in memory."""

_RECORD = "caia-replay record --task ID"
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NOT_BETWEEN = bytes(set(range(256)) - set(b"[{,"))


def read_cassette(path: Path) -> bytes:
    """A cassette file's bytes, unparsed. Raises ``BadInput`` when it is missing, no plain file, or too large.

    A pipe or a device in its place is not waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInput("cannot read the cassette: it is no plain file", where=path, next_command=_RECORD)
            data = file.read(MAX_CASSETTE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot read the cassette: {error.strerror}", where=path, next_command=_RECORD) from None
    if len(data) > MAX_CASSETTE_BYTES:
        what = f"the cassette has more than {MAX_CASSETTE_BYTES} bytes"
        raise BadInput(what, where=path, next_command="split it: a world's http/ may hold many")
    return data


def require_few_values(data: bytes) -> None:
    """Raise ``ValueError`` for JSON of more than ``MAX_VALUES`` values, before any parser makes objects of them."""
    if sum(map(data.count, (b"[", b"{", b","))) <= MAX_VALUES:
        return  # most stand inside texts, and looking closer takes time
    if len(_STRING.sub(b"", data).translate(None, _NOT_BETWEEN)) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
