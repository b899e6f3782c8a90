"""The one file: the built shell, and between its marks the data in chunks, the overview first.

A reader sees the first screen while the rest of the file is still being read.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import UNFINISHED

SHELL: Final = "shell.html"
FIRST: Final = "<!--caia-replay: overview-->"
REST: Final = "<!--caia-replay: everything else-->"
_MARK: Final = b"<!doctype html><!-- caia-replay report -->"
"""How every report begins, so that nothing else is replaced by one."""


def write_page(out: Path, overview: str, rest: Iterable[tuple[str, str]]) -> None:
    """Write a report at ``out``, whole or not at all. ``rest``: chunks by name. An older report there is replaced.

    Raises ``BadInput`` where something else is at ``out``, and where it cannot be written.
    """
    require_free(out)
    shell = files("caia_replay.report.html").joinpath(SHELL).read_text("utf-8")
    head, _, after = shell.partition(FIRST)
    middle, _, foot = after.partition(REST)
    half = out.with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    try:
        with half.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"{head}{_chunk('overview', overview)}{middle}")
            for name, data in rest:
                file.write(_chunk(name, data))
            file.write(foot)
        half.replace(out)
    except OSError as fault:
        what = f"cannot be written: {fault.strerror or fault}"
        raise BadInput(what, where=out, next_command="another --out FILE.html") from None
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)


def require_free(out: Path) -> None:
    """Raise ``BadInput`` unless a report may be written at ``out``: nothing is there, or an older report."""
    if out.is_dir():
        raise BadInput("is a folder", where=out, next_command="--out FILE.html")
    if out.exists() and not read_plain(out, 2**30).startswith(_MARK):
        raise BadInput("is there, and is no report", where=out, next_command="another --out FILE.html")
    if not out.parent.is_dir():
        make = f"mkdir -p {shlex.quote(str(out.parent))}"
        raise BadInput(f"there is no folder {out.parent}", where=out, next_command=make)


def _chunk(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>\n'
