"""Bodies that are not UTF-8 text: files beside the cassette, named after what they hold.

A cassette in ``folder`` refers to ``bodies/<sha256>.bin`` in the same folder. The name is the whole promise: it leads
nowhere else, and bytes that do not hash to it are not the body that was recorded. Text never lives here, so that one
body has one place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from caia_replay.errors import BadInput
from caia_replay.store.seal import write_atomic

FOLDER = "bodies"
MAX_BODY_BYTES = 64 * 2**20

Bodies = Callable[[str], bytes]
"""From a side file's name to its bytes; raises ``BadInput`` for a name or a file that breaks the rules."""

_NAME = re.compile(rf"{FOLDER}/[0-9a-f]{{64}}\.bin", re.ASCII)


def is_text(body: bytes) -> bool:
    """Whether a cassette's JSON can hold ``body`` itself."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def side_name(body: bytes) -> str:
    """The name of the side file that holds ``body``, relative to the cassette's folder."""
    return f"{FOLDER}/{sha256(body).hexdigest()}.bin"


def side_files(bodies: Iterable[bytes]) -> dict[str, bytes]:
    """The side files these bodies need, by name, sorted; text needs none."""
    return dict(sorted((side_name(body), body) for body in bodies if not is_text(body)))


def read_side_file(folder: Path, name: str, limit_bytes: int = MAX_BODY_BYTES) -> bytes:
    """The body that ``name`` stands for, from beside the cassettes of ``folder``.

    Raises ``BadInput`` when the name is not ``bodies/<sha256>.bin``, when the file or its folder is missing, a link or
    no plain file, when it is over ``limit_bytes``, when its bytes are not those of its name, or when they are text.
    """
    _require_name(name, folder)
    path = folder / name
    try:
        if not S_ISDIR(path.parent.lstat().st_mode):
            raise _refused(path, f"{FOLDER} is not a folder of this folder's own")
        if not S_ISREG(path.lstat().st_mode) and not path.is_symlink():
            raise _refused(path, "a recorded body is not a plain file")
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        reason = "is a link" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise _refused(path, f"a recorded body {reason}") from None
    with os.fdopen(handle, "rb") as file:
        body = file.read(limit_bytes + 1)
    if len(body) > limit_bytes:
        raise _refused(path, f"a recorded body has more than {limit_bytes} bytes")
    if side_name(body) != name:
        raise _refused(path, "the bytes are not those that the file's name promises")
    if is_text(body):
        raise _refused(path, "a recorded body is text, and text belongs in the cassette itself")
    return body


def write_side_files(folder: Path, bodies: Iterable[bytes]) -> None:
    """Write what ``bodies`` need beside the cassettes of ``folder``, each atomically. A file that is there stays.

    Raises ``BadInput`` when a body is over the limit or a file of that name holds something else, ``OSError`` when
    writing fails.
    """
    for name, body in side_files(bodies).items():
        if len(body) > MAX_BODY_BYTES:
            raise BadInput(f"a body has {len(body)} bytes, more than {MAX_BODY_BYTES}", where=folder)
        if os.path.lexists(folder / name):
            read_side_file(folder, name)
            continue
        if (folder / FOLDER).is_symlink():
            raise _refused(folder / FOLDER, "is a link")
        write_atomic(folder / name, body)


def strays(folder: Path, referred: Iterable[str]) -> list[Path]:
    """What lies in ``folder``'s folder of bodies and is no side file that a cassette refers to, sorted."""
    known = {folder / name for name in referred}
    inside = folder / FOLDER
    return sorted(path for path in inside.iterdir() if path not in known) if inside.is_dir() else []


def _require_name(name: str, folder: Path) -> None:
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r:.90} is not the name of a side file, {FOLDER}/<sha256>.bin", where=folder)


def _refused(path: Path, what: str) -> BadInput:
    return BadInput(what, where=path, next_command=f"git checkout -- {path}, or record it again")
