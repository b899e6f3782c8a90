"""A folder of this user's own, and the key in it that seals indexes.

A folder of cassettes may come from a stranger, with a ``.cache/`` in it. An index is believed only when it is sealed
with a key that no stranger has: a plain digest could be computed by whoever forged the index.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path

from caia_replay.home import home

KEY_BYTES = 32
_KEY = "index-key"


def private_folder() -> Path | None:
    """A folder that only this user can write, made if need be: in ``home``, else in the temporary folder.

    None when there is none, for example in a read-only container.
    """
    own = home()
    places = [] if own is None else [own]
    places.append(Path(tempfile.gettempdir(), f"caia-replay-{os.getuid()}"))
    return next((place for place in places if is_private(place)), None)


def index_key(folder: Path | None) -> bytes | None:
    """The 32 secret bytes kept in ``folder``, drawn by the first process that asks; None when they cannot be kept."""
    if folder is None:
        return None
    path = folder / _KEY
    partial = folder / f".{_KEY}.{secrets.token_hex(8)}.partial"
    try:
        if (found := _read(path)) is None:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
            try:
                os.link(partial, path)  # unlike a rename, it leaves another process's key, which may be in use
            except FileExistsError:
                if _read(path) is None:  # what is there is no key
                    partial.replace(path)
            found = _read(path)
    except OSError:
        return None
    finally:
        partial.unlink(missing_ok=True)
    return found


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        is_ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o077
        data = file.read(KEY_BYTES + 1) if is_ours else b""
    return data if len(data) == KEY_BYTES else None


def is_private(folder: Path) -> bool:
    """Whether a folder, made if need be, is one that only this user can write."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.lstat()
    except OSError:
        return False
    is_ours = stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o022
    return is_ours and os.access(folder, os.R_OK | os.W_OK | os.X_OK)
