"""Finished runs judged again: by today's verifiers, under other tolerances, with partial credit, by a recorded judge.

What is judged are the submitted answers a run folder holds, against the answers its suite's world holds now. No
tool, no fork and no agent is run; a model is asked only as a judge of open answers, and only when one is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.canonical import pretty_bytes
from caia_replay.core.model import Model
from caia_replay.core.score import Score
from caia_replay.core.task import Task
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.models.resolve import POLICY
from caia_replay.scoring.judge import Case, Judge, Verdicts, verdicts_from
from caia_replay.scoring.sensitivity import Outcome, Submission, outcomes
from caia_replay.scoring.spec import require_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.run_folder import open_index, read_json
from caia_replay.store.seal import write_atomic
from caia_replay.store.world_folder import WorldFolder

_LABELS: Final = ("suite", "model", "agent", "arm", "condition")


@dataclass(frozen=True, slots=True)
class RescoredCell:
    """One arm and condition of one run folder under every rule.

    ``unscored``: why runs have no verdict, and how many. ``differing``: runs whose recorded verdict is not today's
    by the task's own rule (open answers left out): the verifiers or the expected answers have changed since.
    ``comparable``: whether scores on this world may stand beside published CAIA scores.
    """

    run: str
    suite: str
    model: str
    agent: str
    arm: str
    condition: str
    comparable: bool
    outcomes: tuple[Outcome, ...]
    unscored: Mapping[str, int]
    differing: int

    @property
    def is_policy(self) -> bool:
        """Whether a scripted policy answered: its scores are no model's."""
        return self.model.startswith(POLICY)

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **{name: getattr(self, name) for name in ("run", *_LABELS)},
            "calibration_policy": self.is_policy,
            "comparable_to_published_caia": self.comparable,
            "runs": self.outcomes[0].runs,
            "unscored": dict(sorted(self.unscored.items())),
            "differing_from_recorded": self.differing,
            "rules": [outcome.plain() for outcome in self.outcomes],
        }


@dataclass(frozen=True, slots=True)
class Rescored:
    """Every cell of the runs, in the order they were named, and what a reader must know of them."""

    cells: tuple[RescoredCell, ...]
    notes: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"cells": [cell.plain() for cell in self.cells], "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class _Played:
    """One cell as a run folder holds it, read and checked, before anybody judges it."""

    run: Path
    folder: str
    labels: Mapping[str, str]
    world: WorldFolder
    rows: tuple[Mapping[str, Any], ...]
    tasks: Mapping[str, Task]

    @property
    def has_open_answers(self) -> bool:
        """Whether there is anything for a judge."""
        return any(
            self.tasks[row["task"]].answer.kind == "open" and row["stop"] not in UNSCORED_STOPS for row in self.rows
        )


def rescore(runs: Sequence[Path], start: Path, judge: Judge | None = None) -> Rescored:
    """Judge the answers of finished runs again, under every rule of ``scoring/sensitivity.py``.

    ``start`` is where a suite's world is searched from, besides where the run found it. All is read before anything
    is judged. Raises as ``open_run``, and ``BadInput`` when a folder is named twice, its world is not here, or a task's
    answer cannot be judged by.
    """
    for run in runs:
        open_index(run)  # a folder that is no run has no place of its own to be named twice by
    _refuse_repeats(runs)
    played, notes = list[_Played](), list[str]()
    for finished in (open_run(run, start) for run in runs):
        world = _world(finished)
        notes += finished.notes
        if not finished.as_played:
            what = f"the world {world.path} has changed since; judged is by what it expects now"
            notes.append(f"{finished.path}: {what}")
        played += _read(finished, world)
    cells = [_cell(each, judge) for each in played]
    for each, cell in zip(played, cells, strict=True):
        if cell.differing:
            what = f"{cell.differing} recorded verdicts are not what the task's own rule gives now"
            notes.append(f"{each.run / each.folder}: {what}")
    if judge is not None and not any(each.has_open_answers for each in played):
        notes.append("no open answer is there, so the judge judged nothing")
    return Rescored(tuple(cells), tuple(notes))


def open_judge(path: Path, model: Model | None) -> Judge:
    """The judge whose replies ``path`` holds; with a ``model``, new ones are added to it as they come.

    Raises ``BadInput`` for a file of another form, of another judge, or that is not there when nobody is to fill it.
    """
    if path.exists() or path.is_symlink():
        verdicts = verdicts_from(read_json(path), path)
    elif model is None:
        raise BadInput("no verdicts are recorded there", where=path, next_command="add --judge NAME to record them")
    else:
        verdicts = Verdicts(model.name, {})
    return Judge(verdicts, model, lambda kept: write_atomic(path, pretty_bytes(kept.plain())))


def _refuse_repeats(runs: Sequence[Path]) -> None:
    seen: dict[tuple[int, int], Path] = {}
    for run in runs:
        found = run.stat()
        place = (found.st_dev, found.st_ino)  # whatever it is called
        if place in seen:
            also = "" if str(seen[place]) == str(run) else f", also as {seen[place]}"
            raise BadInput(f"this run folder is named twice{also}", where=run, next_command="name each run once")
        seen[place] = run


def _read(finished: FinishedRun, world: WorldFolder) -> Iterator[_Played]:
    plan, tasks = finished.plan, {name: world.task(name) for name in finished.plan.tasks}
    for name, task in tasks.items():
        if task.execution is not None:
            what = f"task {name} is carried out: the chain's state judges it, and no answer can be judged again"
            again = "the same replay again, which grades what is sent"
            raise BadInput(what, where=finished.path / finished.cells[0].folder, next_command=again)
        require_spec(task, world.path / "tasks" / name / "task.toml")
    for one in finished.cells:
        labels = {"suite": plan.suite, "model": plan.model, "agent": plan.agent}
        labels |= {"arm": one.cell.arm, "condition": one.cell.condition}
        yield _Played(finished.path, one.folder, labels, world, one.rows, tasks)


def _cell(played: _Played, judge: Judge | None) -> RescoredCell:
    submissions, unscored, differing = list[Submission](), Counter[str](), 0
    for row in played.rows:
        task = played.tasks[row["task"]]
        own = _own(task, row, judge)
        if own.correct is None:
            unscored[own.reason] += 1
        if task.answer.kind != "open":
            differing += own.correct is not row["correct"]
        submissions.append(Submission(task.id, row["attempt"], task.answer, row["answer"], own, task.question))
    return RescoredCell(
        run=str(played.run),
        **played.labels,
        comparable=played.world.info.comparable_to_published_caia,
        outcomes=outcomes(submissions),
        unscored=unscored,
        differing=differing,
    )


def _own(task: Task, row: Mapping[str, Any], judge: Judge | None) -> Score:
    """The verdict under the task's own rule; the judge's on an open answer, which no verifier scores."""
    if row["stop"] in UNSCORED_STOPS:
        return Score(None, row["reason"])
    score = verify(task.answer, row["answer"], task.question)
    if task.answer.kind != "open" or score.correct is not None or judge is None:
        return score
    return judge.score(Case(task.question, task.answer.values, row["answer"] or ""), task.id)


def _world(run: FinishedRun) -> WorldFolder:
    if run.world is None:
        raise BadInput(
            f"the world of suite {run.plan.suite} is not here, and what is right stands in it",
            where=run.path,
            next_command="the same command beside that world's cassettes/ folder",
        )
    return run.world
