"""The runs of a finished cell: read, and changed where they stand."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from caia_replay.store.trajectory_file import TRAJECTORIES, Trajectories


def records(cell: Path) -> list[dict[str, Any]]:
    """Every run's record, sorted by task and attempt."""
    with Trajectories(cell) as found:
        return [json.loads(data) for _, data in found]


def record(cell: Path, task: str, attempt: int = 1) -> dict[str, Any]:
    """One run's record."""
    with Trajectories(cell) as found:
        return found.json(task, attempt)


def entries(cell: Path) -> dict[str, bytes]:
    """The bytes of every run's record, by its name."""
    with Trajectories(cell) as found:
        return dict(found)


def write_entries(cell: Path, found: dict[str, bytes]) -> None:
    """These entries in place of those that were there."""
    with zipfile.ZipFile(cell / TRAJECTORIES, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in found.items():
            file.writestr(name, data)


def change_record(cell: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change one run's record where it stands; ``name`` is <task>/<attempt>.json."""
    found = entries(cell)
    content = json.loads(found[name])
    change(content)
    write_entries(cell, {**found, name: json.dumps(content).encode()})


def without(cell: Path, name: str) -> None:
    """Leave out one run's record."""
    write_entries(cell, {one: data for one, data in entries(cell).items() if one != name})
