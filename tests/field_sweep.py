"""Every field of every file of a run folder, and that field changed: a value, a name's absence, a cell of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay.store.trajectory_file import TRAJECTORIES
from tests.trajectories import change_record, entries

Place = tuple[Any, ...]
"""Names and positions on the way to a value of JSON, of a run's behind its name; a table's row and column."""
OUTSIDE = ("run.json", "plan.json")
"""What no certificate covers: docs/audit.md."""


def fields(folder: Path) -> list[tuple[str, Place]]:
    """Every field below ``folder``: its file, relative, and its place in that."""
    found: list[tuple[str, Place]] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".json" and name not in OUTSIDE:
            found += [(name, place) for place in _places(json.loads(path.read_bytes()), ())]
        elif path.name == TRAJECTORIES:
            for record, data in entries(path.parent).items():
                found += [(name, (record, *place)) for place in _places(json.loads(data), ())]
        elif path.suffix == ".parquet":
            table = pq.read_table(path)
            found += [(name, (row, column)) for row in range(table.num_rows) for column in table.schema.names]
    return found


def changed(path: Path, place: Place) -> None:
    """Change one field of a file, and nothing else."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        rows = table.to_pylist()
        rows[place[0]][place[1]] = _other(rows[place[0]][place[1]], table.schema.field(place[1]).type)
        pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
        return
    if path.name == TRAJECTORIES:
        change_record(path.parent, place[0], lambda record: _change(record, place[1:]))
        return
    content = json.loads(path.read_bytes())
    _change(content, place)
    path.write_text(json.dumps(content))


def _change(content: Any, place: Place) -> None:
    for name in place[:-1]:
        content = content[name]
    content[place[-1]] = _other(content[place[-1]], None)


def _places(value: Any, place: Place) -> Iterator[Place]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if place and not items:
        yield place
    for name, inner in items:
        yield from _places(inner, (*place, name))


def _other(value: Any, kind: pa.DataType | None) -> Any:
    if value is None:
        is_flag, is_number = kind == pa.bool_(), kind is not None and pa.types.is_integer(kind)
        return True if is_flag else 1 if is_number else "x"
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return value + 1 if isinstance(value, int | float) else [*value, "x"] if isinstance(value, list) else {"x": 1}
