"""Finished runs of one plan over different tasks, as shards are, put together into the run they are parts of.

A part is read as ``open_run`` reads any run folder, and what follows from its records is made anew over all of them:
the result is what one machine would have left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.canonical import digest
from caia_replay.core.trajectory import UNFINISHED_STOPS, UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.runner.replay import write_cell, write_run
from caia_replay.store.run_folder import Journal, read_json, write_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder

_OF_TASKS: Final = ("tasks", "tools")
"""What the headers of parts differ in: their tasks, and what tools those were told of."""
_MOST_SHARDS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Merged:
    """The summaries of a merged run's cells; why the first unscored run of each broke; ``broken`` parts, with how many
    runs of theirs are to be played again; and shards of the plan, such as "2/3", that are not among the parts."""

    summaries: tuple[dict[str, Any], ...]
    causes: tuple[str, ...]
    broken: Mapping[Path, int]
    missing: tuple[str, ...]


def merge(runs: Sequence[Path], out: Path, start: Path) -> Merged:
    """Leave a run folder at ``out``, all of it or none of it.

    Raises ``BadInput`` as ``open_run``, for runs whose world is not here as it was played, that differ in anything but
    their tasks, or that have a task in common.
    """
    if len(runs) < 2:
        raise BadInput("a merge takes two run folders or more", next_command="caia-replay merge RUN RUN --out RUN")
    parts = [open_run(run, start) for run in runs]
    folder, plan = _whole(parts)
    headers = {cell: _header(parts, at) for at, cell in enumerate(plan.cells)}
    journal = Journal(out)
    try:
        journal.start(plan.digest(folder.seal.digest), resume=False, replace=False)
        written = [_write(journal.path, plan, cell, headers[cell], parts, folder) for cell in plan.cells]
        summaries, causes = tuple(one for one, _ in written), tuple(cause for _, cause in written)
        write_run(journal.path, plan, folder, summaries)
        told = [read_json(part.path / "run.json") for part in parts]
        write_json(journal.path / "run.json", {"plan": plan.plain(), "merged": told})
        journal.finish()
    finally:
        journal.release()
    broken = {part.path: count for part in parts if (count := _broken(part))}
    return Merged(summaries, causes, broken, _missing([one.get("shard") for one in told]))


def _broken(part: FinishedRun) -> int:
    """How many runs of a part are to be played again."""
    return sum(row["stop"] in UNFINISHED_STOPS for cell in part.cells for row in cell.rows)


def _missing(shards: Sequence[Any]) -> tuple[str, ...]:
    """The shards that are not here, where all that are here are of one number of them."""
    known = [shard.partition("/") for shard in shards if isinstance(shard, str)]
    numbers = {count for _, _, count in known}
    if len(known) < len(shards) or len(numbers) != 1 or not (count := min(numbers)).isdecimal():
        return ()
    here = {index for index, _, _ in known}
    return tuple(f"{at}/{count}" for at in range(1, min(int(count), _MOST_SHARDS) + 1) if str(at) not in here)


def _whole(parts: Sequence[FinishedRun]) -> tuple[WorldFolder, RunPlan]:
    """The world of all parts, and their plan over the tasks of all, in suite order."""
    of: dict[str, Path] = {}
    for part in parts:
        for task in part.plan.tasks:
            if task in of:
                raise BadInput(f"task {task} is in {of[task]} too", where=part.path, next_command="leave one out")
            of[task] = part.path
        for name, wanted in replace(parts[0].plan, tasks=()).plain().items():
            if (given := part.plan.plain().get(name)) != wanted and name != "tasks":
                what = f"{name} is {given!r:.80}, and {parts[0].path} has {wanted!r:.80}"
                raise BadInput(what, where=part.path, next_command="merge runs of one plan")
    folder = parts[0].world
    if folder is None or not all(part.as_played for part in parts):
        what = f"its suite {parts[0].plan.suite!r} is not here as it was played"
        raise BadInput(what, where=parts[0].path, next_command="merge where the world is")
    return folder, replace(parts[0].plan, tasks=tuple(task for task in folder.suite.active() if task in of))


def _header(parts: Sequence[FinishedRun], at: int) -> dict[str, Any]:
    """What all runs of one cell share in every part."""
    first = parts[0].cells[at].header
    for part in parts[1:]:
        other = part.cells[at].header
        for name in dict.fromkeys((*first, *other)):
            if name not in _OF_TASKS and first.get(name) != other.get(name):
                what = f"{name} is {other.get(name)!r:.80}, and {parts[0].path} has {first.get(name)!r:.80}"
                where = part.path / part.cells[at].folder / "certificate.json"
                raise BadInput(what, where=where, next_command="merge runs of one plan")
    return dict(first)


def _write(
    run: Path, plan: RunPlan, cell: Cell, header: Mapping[str, Any], parts: Sequence[FinishedRun], folder: WorldFolder
) -> tuple[dict[str, Any], str]:
    with ExitStack() as opened:
        has: dict[str, Trajectories] = {}
        for part in parts:
            trajectories = opened.enter_context(Trajectories(part.path / cell.folder))
            has |= dict.fromkeys(part.plan.tasks, trajectories)
        wanted = [(task, attempt) for task in plan.tasks for attempt in range(1, plan.runs + 1)]
        records = [read_record(has[task], task, attempt) for task, attempt in wanted]
    told = {"tasks": list(plan.tasks), "tools": digest(list(dict.fromkeys(record["specs"] for record in records)))}
    (run / cell.folder).mkdir(parents=True)
    summary = write_cell(run, plan, cell, {**header, **told}, records, folder, parts[0].price)
    return summary, next((str(record["detail"]) for record in records if record["stop"] in UNSCORED_STOPS), "")
