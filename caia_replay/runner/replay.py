"""A whole replay: plan, play, then tables, summaries and certificates in one run folder."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.core.model import Model, Price
from caia_replay.core.trajectory import UNCERTIFIED_STOPS, UNFINISHED_STOPS, UNSCORED_STOPS
from caia_replay.core.version import __version__
from caia_replay.errors import BadInput
from caia_replay.models.external import ExternalModel
from caia_replay.models.human import HUMAN
from caia_replay.models.resolve import RECORDED
from caia_replay.runner.arm_effect import ARMS_FILE, arm_effects
from caia_replay.runner.certificate import Certifying, certified_model, header_of, index_of
from caia_replay.runner.context_room import require_room
from caia_replay.runner.episode import EpisodeContext, opened, publish_tape, require_tape_room
from caia_replay.runner.executor import Worker, execute, processes, workers_beside
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.runner.run_end import Watch
from caia_replay.runner.summary import summarise
from caia_replay.scoring.loss import stake
from caia_replay.scoring.spec import require_spec
from caia_replay.store.results import RESULTS, STEPS, labels_over, read_table, result_row, step_rows, write_table
from caia_replay.store.run_folder import INDEX, Journal, write_json
from caia_replay.store.trajectory_file import write_trajectories
from caia_replay.store.world_folder import WorldFolder, require_unchanged

Clients = Callable[[EpisodeContext, Journal, Watch], None]
"""Has external agents play every run that the journal lacks."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished replay: where it is, each cell's summary as written, why its first unscored run broke, how many runs
    are to be played again, and the tape.

    ``causes`` go to the terminal alone: they may name a port, and no file a certificate covers holds one.
    """

    out: Path
    summaries: tuple[dict[str, Any], ...]
    causes: tuple[str, ...]
    unfinished: int
    tape: Path | None = None


def replay(
    plan: RunPlan,
    folder: WorldFolder,
    out: Path,
    *,
    workers: int,
    concurrency: int | None = None,
    shard: str = "",
    cluster: str | None = None,
    resume: bool,
    replace: bool,
    watch: Watch = lambda end: None,
    clients: Clients | None = None,
    person: Model | None = None,
) -> Finished:
    """Play the plan and leave a run folder at ``out``, all of it or none of it. ``shard`` ("2/3") is kept in run.json
    for whoever merges. ``cluster`` is the address of a Dask scheduler whose workers play, in place of ``workers``.
    ``clients`` let external agents play, ``person`` is who plays at a page."""
    if person is not None and (cluster or shard or concurrency not in (None, 1)):
        what = "a person plays one run at a time, on this machine"
        raise BadInput(
            what, where="--concurrency, --shard, --dask", next_command="leave them out; --draw N plays fewer"
        )
    model = person if clients is None else ExternalModel(plan.model)
    others = 0 if cluster or clients else processes(plan, workers, concurrency) - 1
    with workers_beside(others, plan.model) as beside, opened(plan, folder, model=model) as stage:
        require_playable(stage)
        require_room(stage)
        if not resume:
            require_tape_room(plan)
        journal = Journal(out)
        try:
            journal.start(plan.digest(folder.seal.digest), resume=resume, replace=replace)
            return play_all(stage, journal, workers, concurrency, shard, watch, cluster, clients, beside)
        finally:
            journal.release()


def play_all(
    stage: EpisodeContext,
    journal: Journal,
    workers: int,
    concurrency: int | None = None,
    shard: str = "",
    watch: Watch = lambda end: None,
    cluster: str | None = None,
    clients: Clients | None = None,
    beside: Sequence[Worker] | None = None,
) -> Finished:
    """Play what a started journal lacks of the stage's plan, and make it the run folder."""
    started = datetime.now(UTC)
    plan = stage.plan
    if clients is not None:
        stage = stage.planned()
        clients(stage, journal, watch)
    elif cluster is None:
        stage = execute(stage, journal, workers, watch, concurrency, beside)
    else:
        stage = stage.planned()
        _on_cluster(cluster, stage, journal, watch)
    require_unchanged(stage.world.folder)
    finished = [_finish_cell(stage, journal, cell) for cell in plan.cells]
    summaries, causes = tuple(summary for summary, _ in finished), tuple(cause for _, cause in finished)
    write_run(journal.path, plan, stage.world.folder, summaries)
    write_json(journal.path / "run.json", _circumstances(plan, started, workers, shard))
    tape = publish_tape(plan, journal, stage.model)
    again = UNCERTIFIED_STOPS if plan.model.startswith(RECORDED) else UNFINISHED_STOPS  # a fault on a tape comes again
    unfinished = sum(cell["stops"].get(stop, 0) for cell in summaries for stop in again)
    journal.finish(resumable=unfinished > 0)
    return Finished(journal.out, summaries, causes, unfinished, tape)


def _on_cluster(address: str, stage: EpisodeContext, journal: Journal, watch: Watch) -> None:
    try:
        from caia_replay.runner.dask_cluster import play_on
    except ImportError as fault:
        what = f"Dask is not installed: {fault}"
        raise BadInput(what, where="--dask", next_command="pip install 'caia-replay[dask]'") from fault
    play_on(address, stage, journal, watch)


def require_playable(stage: EpisodeContext) -> None:
    """Refuse what can be refused before anything is written: every task's anchor, answer and stake, and no Anvil."""
    world = stage.world
    for task_id in stage.plan.tasks:
        task = world.folder.task(task_id)
        world.require_anchor(task)
        require_spec(task, world.folder.path / "tasks" / task_id / "task.toml")
        stake(task)
    find_anvil()


def _finish_cell(stage: EpisodeContext, journal: Journal, cell: Cell) -> tuple[dict[str, Any], str]:
    """A cell's files, written; its summary, and why its first unscored run broke."""
    plan, folder, overlay = stage.plan, stage.world.folder, stage.overlay(cell.arm)
    records = [journal.load(cell.folder, task, attempt) for task in plan.tasks for attempt in range(1, plan.runs + 1)]
    model = certified_model(stage.model)
    header = header_of(plan, folder, overlay, stage.agent, cell, model, records)
    summary = write_cell(journal.path, plan, cell, header, records, folder, stage.model.price)
    return summary, next((str(record["detail"]) for record in records if record["stop"] in UNSCORED_STOPS), "")


def write_cell(
    run: Path,
    plan: RunPlan,
    cell: Cell,
    header: Mapping[str, Any],
    records: Sequence[dict[str, Any]],
    folder: WorldFolder,
    price: Price | None,
) -> dict[str, Any]:
    """Write a cell's records, in suite order, and all that follows: tables, certificate and summary; the summary."""
    made = Certifying(header)
    for record in records:
        made.add(record)
    certificate = made.certificate()
    path = run / cell.folder
    write_trajectories(path, records)
    labels = labels_over(plan.plain(), header)
    results = [result_row(record, labels, price) for record in records]
    steps = [row for record in records for row in step_rows(record, labels, price)]
    write_table(path / "results.parquet", results, RESULTS)
    write_table(path / "steps.parquet", steps, STEPS)
    tasks = {task: folder.task(task) for task in plan.tasks}
    summary = summarise(plan, cell, records, tasks, comparable=folder.info.comparable_to_published_caia, price=price)
    summary["digest"] = certificate["digest"]
    write_json(path / "certificate.json", {**certificate, "whole": made.whole()})
    write_json(path / "summary.json", summary)
    return summary


def write_run(run: Path, plan: RunPlan, folder: WorldFolder, summaries: Sequence[Mapping[str, Any]]) -> None:
    """Write what follows from all cells of a run: arms.json and index.json."""
    rows = {cell: read_table(run / cell.folder / "results.parquet") for cell in plan.cells}
    write_json(run / ARMS_FILE, arm_effects(rows, {task: folder.task(task) for task in plan.tasks}))
    digests = {cell: summary["digest"] for cell, summary in zip(plan.cells, summaries, strict=True)}
    write_json(run / INDEX, index_of(plan, digests))


def _circumstances(plan: RunPlan, started: datetime, workers: int, shard: str) -> dict[str, Any]:
    """run.json: everything about this particular execution, and nothing a certificate covers."""
    ended = datetime.now(UTC)
    return {
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 3),
        **({} if plan.model.startswith(HUMAN) else {"host": platform.node()}),  # of people a chosen name is kept
        "python": platform.python_version(),
        "caia_replay": __version__,
        "workers": workers,
        **({"shard": shard} if shard else {}),
        "plan": plan.plain(),
    }
