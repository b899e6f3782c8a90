"""A run that proves itself: every model turn said again in the frozen world, and all that follows compared.

The ordinary runner plays the run once more, with a model that says what the folder says it said. What the agent asked,
what each call was served and shown, where the run ended, its verdict, its attack facts and what its transactions did
must come out as the folder has them, byte by byte. What the model said, and who it was, is taken on trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedCell, FinishedRun, differences
from caia_replay.core.score import RULES
from caia_replay.core.trajectory import UNCERTIFIED_STOPS
from caia_replay.errors import BadInput, MachineFault
from caia_replay.runner.certificate import CERTIFICATE_VERSION, UNHASHED, certified_model, header_of
from caia_replay.runner.episode import EpisodeContext, Progress, opened
from caia_replay.runner.executor import execute, workers_for
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.store.run_folder import Journal
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder, require_unchanged

_READ_FIRST: Final = ("specs", "prompt", "steps", "stop", "answer", "score")
"""The fields of a record in the order that a reader wants them in; all others follow."""


def audit(finished: FinishedRun, workers: int | None, progress: Progress) -> str | None:
    """The first difference between a run and what its model's words lead to now, in words; None where it is proven.

    Raises ``BadInput`` where this world, its rules or this version are not what the run was played and judged by, and
    ``MachineFault`` where this machine fails: that says nothing of the run.
    """
    plan = _plan(finished)
    folder = _world(finished)
    for cell in finished.cells:
        if cell.certificate["digest"] is None:
            stops = ", ".join(f"{count} {stop}" for stop, count in cell.certificate["uncertified"].items())
            return f"{cell.folder}: is not certified, and nothing is proven: {stops}"
    with TemporaryDirectory(prefix="caia-replay-audit-") as scratch, opened(plan, folder, finished.path) as stage:
        journal = Journal(Path(scratch) / "again")
        try:
            journal.start(plan.digest(folder.seal.digest), resume=False, replace=False)
            stage = execute(stage, journal, workers or workers_for(plan), lambda _: progress(1))
            require_unchanged(folder)
            return next(_differences(finished, stage, journal), None)
        finally:
            journal.release()


def _differences(finished: FinishedRun, stage: EpisodeContext, journal: Journal) -> Iterator[str]:
    for cell in finished.cells:
        yield from _of_records(finished, cell, journal)
        yield from _of_header(stage, cell, journal)


def _of_records(finished: FinishedRun, cell: FinishedCell, journal: Journal) -> Iterator[str]:
    with Trajectories(finished.path / cell.folder) as trajectories:
        for row in cell.rows:
            task, attempt = row["task"], row["attempt"]
            stated = read_record(trajectories, task, attempt)
            played = journal.load(cell.folder, task, attempt)
            if played["stop"] in UNCERTIFIED_STOPS:
                raise MachineFault(f"task {task}, attempt {attempt}: {played['detail']}")
            for name in dict.fromkeys((*_READ_FIRST, *sorted(stated), *sorted(played))):
                if name not in UNHASHED:
                    sides = ({name: one[name]} if name in one else {} for one in (stated, played))
                    for place, left, right in differences("", *sides):
                        yield f"{cell.folder}, task {task}, attempt {attempt}: {place}: {left} != {right}"


def _of_header(stage: EpisodeContext, cell: FinishedCell, journal: Journal) -> Iterator[str]:
    """What all runs of the cell share, told again; after the runs, which say more of what is behind a digest."""
    records = (journal.load(cell.folder, row["task"], row["attempt"]) for row in cell.rows)
    overlay, model = stage.overlay(cell.cell.arm), certified_model(stage.model)
    header = header_of(stage.plan, stage.world.folder, overlay, stage.agent, cell.cell, model, records)
    stated = {name: cell.certificate.get(name) for name in header}
    for place, left, right in differences("", stated, header):
        yield f"{cell.folder} certificate.json: {place}: {left} != {right}"


def _plan(finished: FinishedRun) -> RunPlan:
    """The run's plan, checked as a new one is."""
    stated: Mapping[str, Any] = finished.cells[0].certificate
    for name, value, today in (
        ("certificate version", stated["version"], CERTIFICATE_VERSION),
        ("rules", stated.get("rules"), RULES),
    ):
        if value != today:
            what = f"{name} {value!r:.40}, and this caia-replay audits {today}"
            next_command = "the caia-replay that run.json names, or the replay again"
            raise BadInput(what, where=finished.path, next_command=next_command)
    plan = finished.plan
    options = {name: value for name, value in plan.plain().items() if name not in ("suite", "world")}
    again = make_plan(_world(finished), **options).plain()
    for name, value in plan.plain().items():
        if again[name] != value:
            what = f"{name} is {value!r:.80}, and a plan has {again[name]!r:.80}"
            raise BadInput(what, where=finished.path, next_command="repeat the replay")
    return plan


def _world(finished: FinishedRun) -> WorldFolder:
    """The world that the run was played in, byte for byte but for its overlays."""
    world, stated = finished.world, finished.cells[0].certificate
    if world is not None and finished.as_played:
        return world
    if world is None:
        raise BadInput(
            f"played in suite {finished.plan.suite}, which is not here",
            where=finished.path,
            next_command="the same command beside that suite's cassettes/ folder",
        )
    digests = (
        f"{stated.get('world')} when it was played, {world.seal.digest_without_overlays} now, both without overlays"
    )
    raise BadInput(
        f"the world {world.path} was changed after the run: {digests}",
        where=finished.path,
        next_command="repeat the replay, or put the world back as it was",
    )
