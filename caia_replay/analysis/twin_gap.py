"""Two finished runs of one model on a suite and on its twin, read, held to be comparable, and their gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedCell, FinishedRun, open_run
from caia_replay.analysis.run_world import require_same
from caia_replay.errors import BadInput
from caia_replay.models.resolve import POLICY, RECORDED
from caia_replay.scoring.contamination import TwinGap, gap_by_category, twin_gap
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.store.world_folder import WorldFolder

PROBE: Final = "no-tools"
"""The condition in which nothing but memory and luck can answer what the world decides."""

_PLAN: Final = ("suite", "suite_version", "agent", "prompts", "rules", "runs", "seed")
_SAME: Final = (*_PLAN, "limits", "campaign", "dose", "defence", "confidence")
"""What must be equal in both certificates of a cell; world, overlay and what follows from them differ."""

_ALIKE: Final = "caia-replay replay with the original's options and the twin's folder as its suite"
_UNNAMED: Final = "unknown"
"""How a summary counts turns whose server named no model."""


@dataclass(frozen=True, slots=True)
class CellGap:
    """One arm and condition of both runs. ``gap`` is None when a side has no scored task.

    ``unscored``: how many runs of the original and of the twin have no verdict, and so are in no figure.
    """

    folder: str
    arm: str
    condition: str
    gap: TwinGap | None
    by_category: Mapping[str, TwinGap]
    unscored: tuple[int, int]

    @property
    def is_probe(self) -> bool:
        """Whether its gap cannot come from how hard a world is to search."""
        return self.condition == PROBE


@dataclass(frozen=True, slots=True)
class SuiteGap:
    """The gap of one model and agent between a suite and its twin, cell by cell in the original's order.

    ``runs`` and ``seeds`` are the original's and the twin's: run folders, and what their worlds grew from.
    ``attempts`` is how often each task was played; ``notes`` is what else a reader must know.
    """

    suite: str
    suite_version: str
    model: str
    agent: str
    attempts: int
    runs: tuple[str, str]
    seeds: tuple[int, int]
    comparable: bool
    cells: tuple[CellGap, ...]
    notes: tuple[str, ...]

    @property
    def is_policy(self) -> bool:
        """Whether a scripted policy answered: its scores are no model's."""
        return self.model.startswith(POLICY)


@dataclass(frozen=True, slots=True)
class _Side:
    """One run, with the world it was played in and the seed that this grew from."""

    run: FinishedRun
    world: WorldFolder
    seed: int

    def cell(self, folder: str) -> _Cell:
        """One of its cells."""
        found = next(cell for cell in self.run.cells if cell.folder == folder)
        runs = tuple(_scored(row, self.world) for row in found.rows)
        return _Cell(found, runs, frozenset(found.served_as) - {_UNNAMED})


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell of a run. ``served_as`` are the names that servers gave the model."""

    found: FinishedCell
    runs: tuple[ScoredRun, ...]
    served_as: frozenset[str]


def suite_gap(original: Path, twin: Path, start: Path) -> SuiteGap:
    """The gap between two finished runs; nothing in them is changed. ``start`` is where worlds are searched from.

    Raises as ``open_run``, and ``BadInput`` when the runs differ in model, agent, suite, tasks, attempts, seed or
    limits, or have no cell in common; when a world is not here as it was played, or grew from no seed, or both are one
    world or of one seed.
    """
    sides = tuple(_side(open_run(run, start)) for run in (original, twin))
    plans = [side.run.plan for side in sides]
    for name in ("suite", "agent"):
        _same(name, getattr(plans[0], name), getattr(plans[1], name), twin)
    models = plans[0].model, plans[1].model
    if not any(model.startswith(RECORDED) for model in models):  # a tape may bear any name
        _same("model", *models, twin)
    _require_twins(*sides)
    folders = [[cell.folder for cell in side.run.cells] for side in sides]
    shared = [folder for folder in folders[0] if folder in folders[1]]
    if not shared:
        raise BadInput(
            f"the runs have no arm and condition in common: the original has {', '.join(folders[0])}",
            where=twin,
            nearest=", ".join(folders[1]),
            next_command=_ALIKE,
        )
    cells, notes = list[CellGap](), [*sides[0].run.notes, *sides[1].run.notes, *_left_out(folders, shared)]
    for folder in shared:
        pair = sides[0].cell(folder), sides[1].cell(folder)
        for name in _SAME:
            _same(name, pair[0].found.certificate.get(name), pair[1].found.certificate.get(name), twin)
        _require_tasks(pair, sides)
        notes += _served_notes(folder, models, pair, twin)
        unscored = tuple(sum(run.correct is None for run in side.runs) for side in pair)
        if any(unscored):
            notes.append(f"not scored in {folder}: {unscored[0]} runs of the original, {unscored[1]} of the twin")
        if any(side.found.certificate["digest"] is None for side in pair):
            notes.append(f"not certified: {folder}; a limit of real time ended runs, another machine need not end them")
        runs, cell = (pair[0].runs, pair[1].runs), pair[0].found.cell
        gap, by_category = twin_gap(*runs), gap_by_category(*runs)
        cells.append(CellGap(folder, cell.arm, cell.condition, gap, by_category, (unscored[0], unscored[1])))
    return SuiteGap(
        suite=plans[0].suite,
        suite_version=str(pair[0].found.certificate.get("suite_version")),
        model=models[0],
        agent=plans[0].agent,
        attempts=plans[0].runs,
        runs=(str(original), str(twin)),
        seeds=(sides[0].seed, sides[1].seed),
        comparable=all(side.world.info.comparable_to_published_caia for side in sides),
        cells=tuple(cells),
        notes=tuple(notes),
    )


def _side(run: FinishedRun) -> _Side:
    world = run.world
    if world is None or not run.as_played:
        raise BadInput(
            f"the world of suite {run.plan.suite} that was played is not here, and its seed and its tasks' projects "
            "stand in it",
            where=run.path,
            nearest="" if world is None else f"{world.path}, which is another or has changed since",
            next_command="the same command beside that world's cassettes/ folder",
        )
    if world.info.seed is None:
        raise BadInput(
            f"the world {world.path} grew from no seed, and a twin is the same suite from another seed",
            where=run.path,
            next_command="caia-replay world build --seed N --out DIR makes worlds that have twins",
        )
    return _Side(run, world, world.info.seed)


def _require_twins(original: _Side, twin: _Side) -> None:
    if original.seed != twin.seed:
        return
    digests = {side.world.seal.digest_without_overlays for side in (original, twin)}
    what = "both runs were played in one world" if len(digests) == 1 else "both worlds grew from one seed"
    raise BadInput(
        f"{what}, of seed {original.seed}",
        where=twin.run.path,
        next_command=f"caia-replay world build --seed {original.seed + 1} --out DIR, then replay there",
    )


def _scored(row: Mapping[str, Any], world: WorldFolder) -> ScoredRun:
    task = world.task(row["task"])
    known = (row["attempt"], row["correct"], row["reading"], row["stop"], row["served_miss"])
    return ScoredRun(task.id, task.category, *known, project=task.project)


def _require_tasks(pair: tuple[_Cell, _Cell], sides: Sequence[_Side]) -> None:
    """Raise ``BadInput`` unless the twin was asked what the original was, by name or where names differ by category."""
    counts, ids = [], [{run.task for run in cell.runs} for cell in pair]
    for own, other, side in ((ids[0], ids[1], sides[1]), (ids[1], ids[0], sides[0])):
        known = {entry.id for entry in side.world.suite.entries}
        lacking = sorted((own & known) - other)
        if lacking:
            what = f"task {lacking[0]} was not played here, and was in the other run"
            raise BadInput(what, where=side.run.path, next_command=_ALIKE)
    for cell in pair:
        counts.append(Counter({run.task: run.category for run in cell.runs}.values()))
    for name in sorted(counts[0] | counts[1]):
        _same(f"the number of tasks in {name}", counts[0][name], counts[1][name], sides[1].run.path)


def _served_notes(folder: str, models: tuple[str, str], pair: tuple[_Cell, _Cell], twin: Path) -> list[str]:
    """What servers called the model: where labels cannot tell, the two must agree in it; else a reader is told."""
    names = [", ".join(sorted(cell.served_as)) for cell in pair]
    if names[0] == names[1] and (names[0] or models[0] == models[1]):
        return []
    if any(model.startswith(RECORDED) for model in models):
        first, second = (
            f"{model} (answered by {name or 'no name'})" for model, name in zip(models, names, strict=True)
        )
        _same("model", first, second, twin)
    return [f"{folder}: the original was answered by {names[0] or 'no name'}, the twin by {names[1] or 'no name'}"]


def _left_out(folders: Sequence[Sequence[str]], shared: Sequence[str]) -> list[str]:
    alone = [[folder for folder in side if folder not in shared] for side in folders]
    items = (("original", alone[0]), ("twin", alone[1]))
    return [f"only the {name} has {', '.join(folders)}" for name, folders in items if folders]


def _same(what: str, original: Any, twin: Any, where: Path) -> None:
    require_same(what, original, twin, "a gap is of one model, agent and plan", _ALIKE, where)
