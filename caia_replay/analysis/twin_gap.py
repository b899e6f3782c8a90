"""Two finished runs of one model on a suite and on its twin, read, held to be comparable, and their gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.run_world import cell_folders, has_changed, require_same, world_of
from caia_replay.errors import BadInput
from caia_replay.models.resolve import POLICY, RECORDED
from caia_replay.runner.cell_rows import checked_rows, require_summary
from caia_replay.scoring.contamination import TwinGap, gap_by_category, twin_gap
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.store.run_folder import INDEX, open_index, read_json
from caia_replay.store.world_folder import WorldFolder

PROBE: Final = "no-tools"
"""The condition in which nothing but memory and luck can answer what the world decides."""

_SAME: Final = ("suite", "suite_version", "agent", "prompts", "runs", "seed", "limits", "campaign", "dose", "defence")
"""What must be equal in both certificates of a cell; world, overlay and what follows from them differ."""

_AGAIN: Final = "repeat the replay"
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
    """One run folder, with the world it was played in."""

    run: Path
    index: Mapping[str, Any]
    folders: tuple[str, ...]
    world: WorldFolder
    seed: int


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell of a run, read and checked. ``served_as`` are the names that servers gave the model."""

    certificate: Mapping[str, Any]
    runs: tuple[ScoredRun, ...]
    served_as: frozenset[str]


def suite_gap(original: Path, twin: Path, start: Path) -> SuiteGap:
    """The gap between two finished runs; nothing in them is changed. ``start`` is where worlds are searched from.

    Raises ``BadInput`` when a folder is no finished run or is damaged; when the runs differ in model, agent, suite,
    tasks, attempts, seed or limits, or have no cell in common; when a world is not here as it was played, or grew from
    no seed, or both are one world or of one seed. Raises ``SealBroken`` for a world edited unsealed.
    """
    indexes = open_index(original), open_index(twin)
    for name in ("suite", "agent"):
        _same(name, indexes[0].get(name), indexes[1].get(name), twin)
    models = str(indexes[0].get("model")), str(indexes[1].get("model"))
    if not any(model.startswith(RECORDED) for model in models):  # a tape may bear any name
        _same("model", *models, twin)
    sides = tuple(_side(run, index, start) for run, index in zip((original, twin), indexes, strict=True))
    _require_twins(*sides)
    shared = [folder for folder in sides[0].folders if folder in sides[1].folders]
    if not shared:
        raise BadInput(
            f"the runs have no arm and condition in common: the original has {', '.join(sides[0].folders)}",
            where=twin,
            nearest=", ".join(sides[1].folders),
            next_command=_ALIKE,
        )
    cells, notes = list[CellGap](), _left_out(sides, shared)
    for folder in shared:
        pair = _cell(sides[0], folder), _cell(sides[1], folder)
        for name in _SAME:
            _same(name, pair[0].certificate.get(name), pair[1].certificate.get(name), twin)
        _require_tasks(pair, sides)
        notes += _served_notes(folder, models, pair, twin)
        unscored = tuple(sum(run.correct is None for run in side.runs) for side in pair)
        if any(unscored):
            notes.append(f"not scored in {folder}: {unscored[0]} runs of the original, {unscored[1]} of the twin")
        if any(side.certificate.get("digest") is None for side in pair):
            notes.append(f"not certified: {folder}; a limit of real time ended runs, another machine need not end them")
        arm, condition = (str(pair[0].certificate.get(name)) for name in ("arm", "condition"))
        runs = pair[0].runs, pair[1].runs
        cells.append(
            CellGap(folder, arm, condition, twin_gap(*runs), gap_by_category(*runs), (unscored[0], unscored[1]))
        )
    certificate = pair[0].certificate
    return SuiteGap(
        suite=str(indexes[0]["suite"]),
        suite_version=str(certificate.get("suite_version")),
        model=models[0],
        agent=str(indexes[0].get("agent")),
        attempts=certificate["runs"],
        runs=(str(original), str(twin)),
        seeds=(sides[0].seed, sides[1].seed),
        comparable=all(side.world.info.comparable_to_published_caia for side in sides),
        cells=tuple(cells),
        notes=tuple(notes),
    )


def _side(run: Path, index: Mapping[str, Any], start: Path) -> _Side:
    folders = tuple(cell_folders(run, index))
    world = _world(run, index, start)
    if world.info.seed is None:
        raise BadInput(
            f"the world {world.path} grew from no seed, and a twin is the same suite from another seed",
            where=run,
            next_command="caia-replay world build --seed N --out DIR makes worlds that have twins",
        )
    return _Side(run, index, folders, world, world.info.seed)


def _world(run: Path, index: Mapping[str, Any], start: Path) -> WorldFolder:
    """The world a run was played in, byte for byte but for its overlays: its seed and projects stand nowhere else."""
    found = None
    for place in (start, run.resolve()):
        found = world_of(run, index, place) or found
        if found is not None and not has_changed(run, index, found):
            return found
    suite = index.get("suite")
    raise BadInput(
        f"the world of suite {suite} that was played is not here, and its seed and its tasks' projects stand in it",
        where=run,
        nearest="" if found is None else f"{found.path}, which is another or has changed since",
        next_command="the same command beside that world's cassettes/ folder",
    )


def _require_twins(original: _Side, twin: _Side) -> None:
    if original.seed != twin.seed:
        return
    digests = {side.world.seal.digest_without_overlays for side in (original, twin)}
    what = "both runs were played in one world" if len(digests) == 1 else "both worlds grew from one seed"
    raise BadInput(
        f"{what}, of seed {original.seed}",
        where=twin.run,
        next_command=f"caia-replay world build --seed {original.seed + 1} --out DIR, then replay there",
    )


def _cell(side: _Side, folder: str) -> _Cell:
    path = side.run / folder
    certificate = read_json(path / "certificate.json")
    value = next(cell for cell in side.index["cells"] if cell["folder"] == folder)
    for name, wanted in (
        *((name, value.get(name)) for name in ("arm", "condition")),
        ("digest", value.get("certificate")),
        *((name, side.index.get(name)) for name in ("suite", "agent")),
    ):
        if certificate.get(name) != wanted:
            what = f"{name!r} is {certificate.get(name)!r:.80}, and {INDEX} has {wanted!r:.80}"
            raise BadInput(what, where=path / "certificate.json", next_command=_AGAIN)
    rows = list(checked_rows(path / "results.parquet"))
    labels = {name: side.index.get(name) for name in ("suite", "model", "agent")}
    require_summary(path, rows, {**labels, "digest": certificate.get("digest")})
    _require_all(path, rows, certificate)
    served = read_json(path / "summary.json").get("served_as")
    names = frozenset(served) - {_UNNAMED} if isinstance(served, dict) else frozenset[str]()
    return _Cell(certificate, tuple(_scored(row, side.world) for row in rows), names)


def _require_all(path: Path, rows: Sequence[Mapping[str, Any]], certificate: Mapping[str, Any]) -> None:
    """Raise ``BadInput`` unless the rows are every attempt at every task that the certificate names, once."""
    tasks, attempts = certificate.get("tasks"), certificate.get("runs")
    if not isinstance(tasks, list) or type(attempts) is not int or len(tasks) * attempts != len(rows) or not rows:
        what = f"does not name the {len(rows)} runs of results.parquet"
        raise BadInput(what, where=path / "certificate.json", next_command=_AGAIN)
    wanted = Counter((task, attempt) for task in map(str, tasks) for attempt in range(1, attempts + 1))
    held = Counter((row["task"], row["attempt"]) for row in rows)
    if held != wanted:
        task, attempt = min((held - wanted) + (wanted - held))
        what = (
            f"{held[task, attempt]} rows of task {task}, attempt {attempt}, where {wanted[task, attempt]} are certified"
        )
        raise BadInput(what, where=path / "results.parquet", next_command=_AGAIN)


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
            raise BadInput(what, where=side.run, next_command=_ALIKE)
    for cell in pair:
        counts.append(Counter({run.task: run.category for run in cell.runs}.values()))
    for name in sorted(counts[0] | counts[1]):
        _same(f"the number of tasks in {name}", counts[0][name], counts[1][name], sides[1].run)


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


def _left_out(sides: Sequence[_Side], shared: Sequence[str]) -> list[str]:
    alone = [[folder for folder in side.folders if folder not in shared] for side in sides]
    items = (("original", alone[0]), ("twin", alone[1]))
    return [f"only the {name} has {', '.join(folders)}" for name, folders in items if folders]


def _same(what: str, original: Any, twin: Any, where: Path) -> None:
    require_same(what, original, twin, "a gap is of one model, agent and plan", _ALIKE, where)
