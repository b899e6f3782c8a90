"""Where the Anvil binary is, and that it is the version everything here was measured with."""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput, ForkFault, one_line
from caia_replay.home import SETUP, program_folders

ANVIL_VERSION: Final = "1.7.1"
ANVIL_VARIABLE: Final = "CAIA_REPLAY_ANVIL"
_UNSET: Final = f"unset {ANVIL_VARIABLE}, then {SETUP}"
_SHORT_OF: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""Errors that say something of this machine, and nothing of the binary."""


def find_anvil() -> Path:
    """The pinned Anvil: ``CAIA_REPLAY_ANVIL``, then PATH, then node_modules where ``program_folders`` says.
    Raises ``BadInput`` when there is none, or when the
    one that was named explicitly is of another version; others of another version are passed by. Raises ``ForkFault``
    where this machine is short of what starting a process takes.
    """
    named = os.environ.get(ANVIL_VARIABLE)
    if named:
        binary = Path(named)
        if not binary.is_file():
            raise BadInput(f"{ANVIL_VARIABLE} names no file", where=binary, next_command=_UNSET)
        version = _version(binary)
        if version != ANVIL_VERSION:
            raise BadInput(f"Anvil {ANVIL_VERSION} is needed, found {version}", where=binary, next_command=_UNSET)
        return binary
    passed_by = ""
    for binary in _candidates():
        version = _version(binary)
        if version == ANVIL_VERSION:
            return binary
        passed_by = passed_by or f"{binary} is {version}"
    raise BadInput(f"Anvil {ANVIL_VERSION} is not installed", nearest=passed_by, next_command=SETUP)


def _candidates() -> Iterator[Path]:
    on_path = shutil.which("anvil")
    if on_path:
        yield Path(on_path)
    for folder in program_folders():
        if (folder / PLATFORM_BINARY).is_file():
            yield folder / PLATFORM_BINARY


def _platform_binary() -> Path:
    machine = platform.machine().lower()
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    name = "anvil.exe" if sys.platform == "win32" else "anvil"
    return Path("node_modules", "@foundry-rs", f"anvil-{sys.platform}-{arch}", "bin", name)


PLATFORM_BINARY: Final = _platform_binary()
"""Where npm puts the binary for this machine, which needs no node to run."""


def _version(binary: Path) -> str:
    try:
        stat = binary.stat()
    except OSError as fault:
        return f"unreadable: {fault.strerror}"
    return _ask_version(binary, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _ask_version(binary: Path, modified_ns: int, size: int) -> str:
    """The binary's own word; asked once per file content, since asking takes as long as starting it."""
    try:
        done = subprocess.run([binary, "--version"], capture_output=True, timeout=30, check=False)
    except subprocess.TimeoutExpired as fault:
        raise ForkFault(f"{binary} did not tell its version within {fault.timeout:g} s") from fault
    except OSError as fault:
        if fault.errno in _SHORT_OF:
            raise ForkFault(f"{binary} cannot be started: {fault.strerror}") from fault
        return f"not runnable: {one_line(str(fault))}"
    found = re.search(rb"anvil Version: (\d+\.\d+\.\d+\S*)", done.stdout)
    return found[1].decode("ascii", "replace") if found else "of no known version"
