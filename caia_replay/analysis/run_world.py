"""A finished run read again: its cells, and the world it was played in, found beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caia_replay.errors import BadInput, SealBroken
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.store.run_folder import INDEX, read_json
from caia_replay.store.tape_file import is_name
from caia_replay.store.world_folder import WorldFolder, find_world, open_world


def cell_folders(run: Path, index: Mapping[str, Any]) -> list[str]:
    """The folder names of a run's cells. Raises ``BadInput`` when its index lists none that could be."""
    cells = index.get("cells")
    if isinstance(cells, list):
        names = [cell.get("folder") for cell in cells if isinstance(cell, dict)]
        found = [name for name in names if isinstance(name, str) and is_name(name)]
        if len(cells) == len(found) == len(set(found)):
            return found
    raise BadInput("'cells' is no list of the run folder's cells, each once", where=run / INDEX)


def world_of(run: Path, index: Mapping[str, Any], start: Path) -> WorldFolder | None:
    """The world of a run's suite: where the run found it, else by name from ``start`` or from the run upwards.

    None when it is not here. Raises ``BadInput`` for a damaged run and ``SealBroken`` for a world edited unsealed.
    """
    suite = index.get("suite")
    if not isinstance(suite, str) or not suite:
        raise BadInput("'suite' is no suite's name", where=run / INDEX)
    plan = read_json(run / "run.json").get("plan") if (run / "run.json").is_file() else None
    played = plan.get("world") if isinstance(plan, dict) else None
    for name, place in ((played, start), (suite, start), (suite, run.resolve())):
        if not isinstance(name, str):
            continue
        try:
            found = open_world(str(find_world(name, place)))
        except SealBroken:
            raise
        except BadInput:
            continue
        if found.info.id == suite:
            return found
    return None


def require_same(what: str, first: Any, second: Any, why: str, next_command: str, where: Path | str = "") -> None:
    """Raise ``BadInput`` where two runs differ in what they are compared on; ``why`` says on what that is."""
    if first != second:
        text = f": {first!r:.80} and {second!r:.80}" if isinstance(first, str | int | type(None)) else ""
        raise BadInput(f"the runs differ in {what}{text}; {why}", where=where, next_command=next_command)


def scored_run(row: Mapping[str, Any], world: WorldFolder | None) -> ScoredRun:
    """A row of results.parquet as the metrics count it, with its task's project where the world is here."""
    project = None if world is None else world.task(row["task"]).project
    told = (row["task"], row["category"], row["attempt"], row["correct"], row["reading"], row["stop"])
    return ScoredRun(*told, row["served_miss"], project=project)
