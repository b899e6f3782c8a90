"""What a reviewer has typed and not given yet, kept in the folder's ``.drafts``: one file for each person and question.

It is nobody's record and is not shared. A file that cannot be read is as none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.errors import BadInput
from caia_replay.intake.review_page import FIELDS, POINTS
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import write_atomic

DRAFTS: Final = ".drafts"
LONGEST: Final = 200_000
"""Characters of all fields together."""


def form_fields(said: Mapping[str, Any]) -> dict[str, str]:
    """The form's fields among what a browser sent. Raises ``BadInput`` for more than ``LONGEST`` characters."""
    known = {
        name: value.replace("\r\n", "\n")
        for name, value in said.items()
        if isinstance(value, str) and (name in FIELDS or name.startswith(POINTS))
    }
    if sum(map(len, known.values())) > LONGEST or len(known) > 100:
        raise BadInput(f"more than {LONGEST} characters", where="form")
    return {name: value.encode("utf-8", "replace").decode() for name, value in known.items()}


def keep(folder: Path, by: str, question: str, fields: Mapping[str, str]) -> None:
    """Keep what is typed, in place of what was kept before."""
    write_atomic(_path(folder, by, question), canonical_bytes(dict(fields)))


def kept(folder: Path, by: str, question: str) -> dict[str, str]:
    """What was kept; nothing where nothing was."""
    with suppress(OSError, ValueError, BadInput):
        found = strict_json(read_plain(_path(folder, by, question)))
        return form_fields(found) if isinstance(found, dict) else {}
    return {}


def forget(folder: Path, by: str, question: str) -> None:
    """What was typed has been given."""
    _path(folder, by, question).unlink(missing_ok=True)


def _path(folder: Path, by: str, question: str) -> Path:
    # Names may hold anything: a digest leads nowhere else.
    return folder / DRAFTS / hashlib.sha256(by.encode()).hexdigest()[:16] / f"{question}.json"
