"""What a person did while they played, and when: ``person.jsonl`` in a run folder, one event a line.

It has the clock and the clicks, so no certificate covers it. Beside it lies what is typed and not sent yet. A killed
process may leave half a line, which is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.model import RunKey
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import write_atomic

PERSON: Final = "person.jsonl"
TYPED: Final = "typed.json"
_MOST_BYTES: Final = 512 * 2**20


class PersonDiary:
    """The diary of one run folder while it is a journal. Opened with its first use: the journal is made before."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._file: BinaryIO | None = None

    def events(self) -> list[dict[str, Any]]:
        """Every event, in order. Raises ``BadInput`` for a line that is none."""
        with self._lock:
            self._opened()
            return read_events(self._folder)

    def note(self, event: str, key: RunKey | None = None, **more: Any) -> None:
        """Write down one event; another process finds it when this returns, even if this one is killed."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        of = {} if key is None else {"run": asdict(key)}
        line = json.dumps({"at": at, "event": event, **of, **more}, sort_keys=True).encode() + b"\n"
        with self._lock:
            self._opened().write(line)

    def keep_typed(self, turn: Mapping[str, Any], fields: Mapping[str, str]) -> None:
        """Keep what is typed in a turn, in place of what was kept before."""
        write_atomic(self._folder / TYPED, canonical_bytes({"turn": dict(turn), "fields": dict(fields)}))

    def typed(self, turn: Mapping[str, Any]) -> dict[str, str]:
        """What was typed in this turn; nothing where nothing was, or it cannot be read."""
        with suppress(OSError, ValueError, AttributeError):
            found = strict_json(read_plain(self._folder / TYPED))
            if found["turn"] == turn:
                return {str(name): str(value) for name, value in found["fields"].items()}
        return {}

    def forget_typed(self) -> None:
        """What was typed has been sent."""
        (self._folder / TYPED).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = (self._folder / PERSON).open("ab", buffering=0)
            data = (self._folder / PERSON).read_bytes()
            if whole := len(data) - data.rfind(b"\n") - 1:
                os.ftruncate(self._file.fileno(), len(data) - whole)
        return self._file


def read_events(folder: Path) -> list[dict[str, Any]]:
    """Every event of a folder's diary, in order; none where there is none. Raises ``BadInput`` for a damaged one."""
    path = folder / PERSON
    try:
        data = read_plain(path, _MOST_BYTES)
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None
    found = []
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            event = strict_json(line)
        except ValueError:
            event = None
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise BadInput(f"line {number} is no event", where=path, next_command="remove that line")
        found.append(event)
    return found
