"""The compiled interpreter on disk, believed only as far as it is proven.

wasmtime runs the machine code of such a file as it is. So the file's name holds a digest of its bytes, made with a key
that no stranger has, and it lies in a folder that only this user can write. It is written once, renamed into place
and never changed. It is mapped, not read, when an instance is made, so that all processes share its pages.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

_SUFFIX: Final = ".cwasm"


@dataclass(frozen=True, slots=True)
class CompiledFolder:
    """Where compiled modules are kept: ``folder``, which only this user can write, and the user's secret ``key``."""

    folder: Path
    key: bytes = field(repr=False)

    def find(self, made_from: str) -> Path | None:
        """The module compiled from ``made_from``; one that is not as it was written is removed."""
        for path in sorted(self.folder.glob(f"{self._name(made_from)}-*{_SUFFIX}")):
            with suppress(OSError):
                about = path.lstat()
                seal = _seal_of_file(self, path, about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino)
                if secrets.compare_digest(seal, path.stem.rpartition("-")[2]):
                    return path
                self.drop(path)
        return None

    def keep(self, made_from: str, compiled: bytes) -> Path | None:
        """Write a module, and drop those of other versions; None where the folder takes none."""
        partial = self.folder / f".{secrets.token_hex(8)}.partial"
        path = self.folder / f"{self._name(made_from)}-{self.seal(compiled)}{_SUFFIX}"
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(compiled)
            partial.replace(path)
        except OSError:
            self.drop(partial)
            return None
        for other in self.folder.glob(f"python-*{_SUFFIX}"):
            if other != path:
                self.drop(other)  # whoever has it mapped keeps it
        return path

    def drop(self, path: Path) -> None:
        """Remove a module that cannot be used."""
        with suppress(OSError):
            path.unlink(missing_ok=True)

    def seal(self, compiled: bytes) -> str:
        """What proves the bytes of a module: 32 hex digits that only the key can make."""
        return blake2b(compiled, digest_size=16, key=self.key, person=b"caia-compiled").hexdigest()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time: many workers must not all do the same half minute's work."""
        try:
            descriptor = os.open(self.folder / ".compiling", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            yield
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _name(self, made_from: str) -> str:
        return (
            f"python-{blake2b(made_from.encode(), digest_size=16, key=self.key, person=b'caia-made-from').hexdigest()}"
        )


@lru_cache(maxsize=4)
def _seal_of_file(folder: CompiledFolder, path: Path, *about: int) -> str:
    """The seal of a file's bytes; read again whenever what the file system says ``about`` it has changed."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        return folder.seal(file.read())
