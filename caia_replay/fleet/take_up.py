"""What is left of an entry, begun: what was found of it is brought into its journal, and what does not fit is aside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from caia_replay.fleet.matrix import Entry
from caia_replay.fleet.reuse import Found, Headers, Run, has_records, is_stale, note_path, runs_of
from caia_replay.runner.episode import EpisodeContext, staged
from caia_replay.runner.executor import execute
from caia_replay.runner.plan import Cell
from caia_replay.runner.run_end import RunEnd
from caia_replay.store.run_folder import PLAN, Journal, is_run, write_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import LOOSE, Trajectories

ASIDE: Final = ".aside"
_SAID: Final = ("specs", "prompt", "steps")
"""Of a record, what its model's words must lead to again when it is judged again."""


def take_up(
    found: Found, entry: Entry, stage: EpisodeContext, journal: Journal, headers: Headers, workers: int
) -> None:
    """Make the journal ready for what is left of an entry, and hold it; what was found is in it, or aside.

    Whenever this is killed, the next ``look`` finds no run less.
    """
    if found.kind == "played again":
        for path in (journal.path, entry.out):
            if path.exists():
                _put_aside(path)
    elif is_stale(entry, journal):
        if is_run(entry.out):
            _put_aside(journal.path)
        else:
            _rebase(found, entry, journal)
    fills = is_run(entry.out)
    journal.start(entry.digest, resume=has_records(journal), replace=True)
    _note(entry, headers)
    if fills:
        if found.kind == "added to":
            _fill(found, entry, journal)
        else:
            _judge(found, entry, stage, journal, workers)
        _put_aside(entry.out)


def _note(entry: Entry, headers: Headers) -> None:
    path = note_path(entry)
    path.parent.mkdir(exist_ok=True)
    write_json(path, {"digest": entry.digest, "headers": {cell: dict(header) for cell, header in headers.items()}})


def _fill(found: Found, entry: Entry, journal: Journal) -> None:
    """Give a finished folder's runs to the journal."""
    for cell, task, attempt, record in _records(entry.out, found.kept):
        if not journal.has(cell, task, attempt):
            journal.save(record, cell)


def _judge(found: Found, entry: Entry, stage: EpisodeContext, journal: Journal, workers: int) -> None:
    """Give a finished folder's runs to the journal, played from what their model said: its words are judged by today's
    rules. Where they lead elsewhere today, the model is asked again."""
    cells, tasks, attempts = zip(*found.kept, strict=True)
    plan = stage.plan
    arms = tuple(arm for arm in plan.arms if any(Cell(arm, one).folder in cells for one in plan.conditions))
    conditions = tuple(one for one in plan.conditions if any(Cell(arm, one).folder in cells for arm in plan.arms))
    there = tuple(task for task in plan.tasks if task in tasks)
    part = replace(plan, arms=arms, conditions=conditions, tasks=there, runs=max(attempts), record_model=None)
    with staged(part, stage.world.folder, entry.out, stage.overlays) as said:
        execute(said, journal, workers, _unwatched)
    judged = set[Run]()
    for cell, task, attempt, record in _records(entry.out, found.kept):
        new = journal.load(cell, task, attempt)
        if all(record.get(name) == new.get(name) for name in _SAID):
            judged.add((cell, task, attempt))
            journal.save({**new, "served_as": record["served_as"]}, cell)
    for cell, task, attempt in set(runs_of(part)) - judged:
        journal.record_path(cell, task, attempt).unlink(missing_ok=True)


def _unwatched(end: RunEnd) -> None:
    """Nothing is told of what is not played."""


def _rebase(found: Found, entry: Entry, journal: Journal) -> None:
    """Make an unfinished run one of this plan: what is not of it goes aside, file by file."""
    strays = [
        path
        for path in journal.path.glob(f"*/{LOOSE}/*/*.json")
        if (path.parts[-4], path.parts[-2], path.stem) not in {(cell, task, str(at)) for cell, task, at in found.kept}
    ]
    target = _aside_path(journal.path)
    for path in strays:
        place = target / path.relative_to(journal.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
    write_json(journal.path / PLAN, {"digest": entry.digest})


def _put_aside(path: Path) -> Path:
    target = _aside_path(path)
    target.parent.mkdir(exist_ok=True)
    path.rename(target)
    return target


def _aside_path(path: Path) -> Path:
    folder, number = path.parent / ASIDE, 1
    while (folder / f"{path.name}-{number}").exists():
        number += 1
    return folder / f"{path.name}-{number}"


def _records(run: Path, wanted: Iterable[Run]) -> Iterable[tuple[str, str, int, dict[str, Any]]]:
    """Records of a finished folder, cell by cell."""
    runs = sorted(wanted)
    for cell in dict.fromkeys(run[0] for run in runs):
        with Trajectories(run / cell) as trajectories:
            for _, task, attempt in (one for one in runs if one[0] == cell):
                yield cell, task, attempt, read_record(trajectories, task, attempt)
