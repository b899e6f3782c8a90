"""Two run folders compared: identical, or the first difference in reading order.

Run by run, then step by step, then the files made from them. What a certificate does not cover
(run.json, the model's label) is not compared, so that a recorded model equals the one it recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from caia_replay.errors import BadInput
from caia_replay.runner.arm_effect import ARMS_FILE
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import INDEX, open_index, read_json, trajectory_files

_LABELS = ("model",)
_DIGESTS = ("chain", "digest")
"""Told last: they differ because something else does."""


def first_difference(left: Path, right: Path) -> str | None:
    """The first difference in words, or None. Raises ``BadInput`` when either is no run folder."""
    return next(_differences(left, right), None)


def _differences(left: Path, right: Path) -> Iterator[str]:
    indexes = open_index(left), open_index(right)
    cells = [cell_folders(side, index) for side, index in zip((left, right), indexes, strict=True)]
    yield from _compare("cells", cells[0], cells[1])
    agents = [index.get("agent") for index in indexes]
    if agents[0] != agents[1]:
        yield f"agent: {agents[0]!r} != {agents[1]!r}; caia-replay diff --agents compares them task by task"
    for cell in cells[0]:
        a, b = left / cell, right / cell
        for table in ("results", "steps"):
            yield from _tables(f"{cell} {table}", *(read_table(side / f"{table}.parquet") for side in (a, b)))
        yield from _trajectories(cell, a, b)
        for name in ("certificate.json", "summary.json"):
            yield from _compare(f"{cell} {name}", *(_unlabelled(read_json(side / name)) for side in (a, b)))
    if all((side / ARMS_FILE).is_file() for side in (left, right)):  # else the lists of files differ, below
        yield from _compare(ARMS_FILE, *(read_json(side / ARMS_FILE) for side in (left, right)))
    yield from _compare("index.json", *(_unlabelled(index) for index in indexes))
    for side, index in zip(("first", "second"), indexes, strict=True):
        if index.get("digest") is None:
            yield f"index.json: the {side} is not certified, and equals nothing"
    yield from _compare("files", _files(left), _files(right))


def cell_folders(run: Path, index: Mapping[str, Any]) -> list[str]:
    """The folder names of a run's cells. Raises ``BadInput`` when its index lists none that could be."""
    cells = index.get("cells")
    if isinstance(cells, list):
        names = [cell.get("folder") for cell in cells if isinstance(cell, dict)]
        if len(names) == len(cells) and all(isinstance(name, str) and Path(name).name == name for name in names):
            return [str(name) for name in names]
    raise BadInput("'cells' is no list of the run folder's cells", where=run / INDEX)


def _files(run: Path) -> list[str]:
    return sorted(path.relative_to(run).as_posix() for path in run.rglob("*"))


def _tables(name: str, left: list[dict[str, Any]], right: list[dict[str, Any]]) -> Iterator[str]:
    for a, b in zip(left, right, strict=False):
        place = f"{name}: task {a.get('task')}, attempt {a.get('attempt')}"
        yield from _compare(f"{place}, step {a['step']}" if "step" in a else place, a, b)
    yield from _compare(f"{name}: number of rows", len(left), len(right))


def _trajectories(cell: str, left: Path, right: Path) -> Iterator[str]:
    names = [[path.relative_to(side).as_posix() for path in trajectory_files(side)] for side in (left, right)]
    yield from _compare(f"{cell} trajectories", names[0], names[1])
    for name in names[0]:
        if (left / name).read_bytes() != (right / name).read_bytes():
            yield from _compare(f"{cell} {name}", read_json(left / name), read_json(right / name))
            yield f"{cell} {name}: the bytes differ"


def _compare(place: str, left: Any, right: Any) -> Iterator[str]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys(), key=lambda key: (key in _DIGESTS, key)):
            if key in left and key in right:
                yield from _compare(f"{place}: {key}", left[key], right[key])
            else:
                yield f"{place}: {key}: only in the {'first' if key in left else 'second'}"
    elif isinstance(left, list) and isinstance(right, list):
        for at, (a, b) in enumerate(zip(left, right, strict=False)):
            yield from _compare(f"{place}[{at}]", a, b)
        if len(left) != len(right):
            yield f"{place}: {len(left)} entries != {len(right)} entries"
    elif left != right or type(left) is not type(right):
        yield f"{place}: {_shown(left)} != {_shown(right)}"


def _unlabelled(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key not in _LABELS}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
