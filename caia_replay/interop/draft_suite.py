"""A folder of imported tasks, written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.store.seal import SEAL, UNFINISHED, write_atomic

_FOLDER: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def require_free(out: Path) -> None:
    """Raise ``BadInput`` unless ``out`` can become a folder of its own: named like one, not there or empty, and in no
    sealed world."""
    if not _FOLDER.fullmatch(out.name):
        raise BadInput(f"{out.name!r} cannot name a suite", where=out, nearest="a-z, 0-9, dot, dash, underscore")
    if os.path.lexists(out) and (out.is_symlink() or not out.is_dir() or any(out.iterdir())):
        raise BadInput("exists, and nothing is written over", where=out, next_command="choose another --out")
    for folder in out.absolute().parents:
        if (folder / SEAL).is_file():
            raise BadInput(f"lies inside {folder}, which is sealed", where=out, next_command="choose another --out")


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` by relative path into a folder beside ``out``, and give it that name when all of them are there.

    Raises ``BadInput`` as ``require_free``, and when the place cannot be written.
    """
    require_free(out)
    staging = out.with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    try:
        staging.mkdir(parents=True)
        for name, data in files.items():
            write_atomic(staging / name, data)
        staging.rename(out)
    except OSError as fault:
        raise BadInput(
            f"cannot be written: {fault.strerror}", where=out, next_command="choose another --out"
        ) from fault
    finally:
        shutil.rmtree(staging, ignore_errors=True)
