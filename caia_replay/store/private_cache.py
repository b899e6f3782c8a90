"""What takes seconds to make of a sealed world, kept for the next command in a folder that no other user can write.

What was damaged there, or made by other code, is made again.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar, cast

from caia_replay.canonical import digest
from caia_replay.store.private_folder import is_private, private_folder
from caia_replay.store.seal import digest_file, write_atomic

MOST_BYTES: Final = 1 << 28
"""Of all that is kept; the oldest go."""
_DIGEST_BYTES: Final = 32
T = TypeVar("T")


def kept(made_of: Sequence[str], make: Callable[[], T]) -> T:
    """What ``make`` gives, or gave before. ``made_of`` names all that it follows from, besides our own code."""
    folder = kept_folder()
    if folder is None:
        return make()
    name = digest([*made_of, _code(), sys.version])
    path = folder / f"{name.removeprefix('sha256:')}.pickle"
    with suppress(Exception):  # it is not there, or its bytes were damaged, which may raise anything
        data = path.read_bytes()
        if sha256(data[_DIGEST_BYTES:]).digest() == data[:_DIGEST_BYTES]:
            return cast(T, pickle.loads(data[_DIGEST_BYTES:]))
    made = make()
    with suppress(OSError):  # a full disk makes it again next time
        data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
        write_atomic(path, sha256(data).digest() + data)
        _forget_oldest(path.parent)
    return made


def kept_folder() -> Path | None:
    """Where it is kept; None without a folder of this user's own."""
    private = private_folder()
    if private is None or not is_private(private / "made"):
        return None
    return private / "made"


def _forget_oldest(folder: Path) -> None:
    left = MOST_BYTES
    for path in sorted(folder.glob("*.pickle"), key=lambda path: path.stat().st_mtime_ns, reverse=True):
        left -= path.stat().st_size
        if left < 0:
            path.unlink(missing_ok=True)


@cache
def _code() -> str:
    """The digest of the package's files: whatever changes there may change what is made."""
    package = Path(__file__).parents[1]
    files = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".toml"})
    return digest([[path.relative_to(package).as_posix(), digest_file(path)] for path in files])
