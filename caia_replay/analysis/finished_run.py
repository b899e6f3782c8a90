"""Finished runs, opened in the one way there is: all that a folder says is computed again from its trajectories.

A folder that disagrees with itself is refused, and the first field that does is named: labels, tables, certificates,
and, where the world is here as it was played and the rules are today's, verdicts, summaries and arms.json. That says
nothing of the trajectories themselves; ``audit`` does. run.json and plan.json tell of one machine's moment, and are
read as no more than a hint where the world is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.run_world import cell_folders, world_of
from caia_replay.attacks.placebo import PLACEBO
from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.core.model import Price
from caia_replay.core.score import RULES
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, SealBroken
from caia_replay.models.resolve import POLICY, RECORDED, certified_name
from caia_replay.runner.arm_effect import ARMS_FILE, arm_effects
from caia_replay.runner.certificate import CERTIFICATE_VERSION, Certifying, confidence_in, index_of, judged
from caia_replay.runner.conflict import Conflict, conflict_of
from caia_replay.runner.plan import ARMS, CONDITIONS, DEFAULT_CAMPAIGN, Cell, RunPlan
from caia_replay.runner.summary import summarise
from caia_replay.store.ledger import read_price
from caia_replay.store.plain import build
from caia_replay.store.results import LABELS, RESULTS, STEPS, as_written, labels_over, read_table, result_row, step_rows
from caia_replay.store.run_folder import INDEX, open_index, read_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import LOOSE, Trajectories
from caia_replay.store.world_folder import WorldFolder

AGAIN: Final = "repeat the replay"
NOTHING: Final = "nothing"
"""How a value that is not there is told."""
_MADE: Final = ("version", "rows", "chain", "digest", "uncertified", "whole")
"""What a certificate has besides its header."""
_FIRST: Final = 1
"""The version of certificates that do not cover the model, the tools and the rules."""
_MISSED: Final = 3
"""The version of certificates from which on a step says of a miss what is not recorded."""
_LABELS: Final = ("suite", "suite_version", "tasks", "world", "agent", "prompts", "model", "rules", "runs", "seed")
_SHARED: Final = (*_LABELS, "limits", "defence", "toolset", "agent_version", "confidence")
"""What the headers of all cells of a run have in common."""
_LATER_FIGURES: Final = ("conflict", "net")
"""Of a summary, figures that folders of an earlier version have not: they are checked where they are."""
_COUNTED: Final = ("kind", "prompt_tokens", "completion_tokens", "cached_tokens")


@dataclass(frozen=True, slots=True)
class FinishedCell:
    """One cell: its certificate as it stands in the folder, and the rows that its trajectories give."""

    cell: Cell
    certificate: Mapping[str, Any]
    rows: tuple[dict[str, Any], ...]
    served_as: Mapping[str, int]

    @property
    def folder(self) -> str:
        """The subfolder's name."""
        return self.cell.folder

    @property
    def header(self) -> dict[str, Any]:
        """What its certificate says of all its runs."""
        return {name: value for name, value in self.certificate.items() if name not in _MADE}


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run folder that agrees with itself. ``world`` is its suite's, None where that is not here; ``as_played``: it is
    the very one. ``plan`` is the run's by its certificates, its ``world`` that folder. ``notes``: what was not held
    against anything, for a reader to know."""

    path: Path
    index: Mapping[str, Any]
    plan: RunPlan
    price: Price | None
    world: WorldFolder | None
    as_played: bool
    cells: tuple[FinishedCell, ...]
    notes: tuple[str, ...]


def open_run(run: Path, start: Path, *, needs_world: bool = True) -> FinishedRun:
    """A finished run, all of it read and computed again. ``start`` is where its world is searched from.

    Raises ``BadInput`` when ``run`` is no finished run, is damaged or disagrees with itself, and ``SealBroken`` for a
    world edited unsealed; such a world counts as none where it is not needed.
    """
    index = open_index(run)
    folders = cell_folders(run, index)
    certificates = [read_json(run / folder / "certificate.json") for folder in folders]
    plan, price = _plan(run, index, folders, certificates)
    world, as_played = _world(run, index, certificates[0].get("world"), start, needs_world)
    rules = certificates[0].get("rules")
    judge = world if as_played and rules == RULES else None
    plan = replace(plan, world="" if world is None else str(world.path))
    cells = tuple(
        _Reading(run, plan, cell, certificate, price, judge).read()
        for cell, certificate in zip(plan.cells, certificates, strict=True)
    )
    if judge is not None:
        effects = arm_effects({one.cell: one.rows for one in cells}, {name: judge.task(name) for name in plan.tasks})
        _require(run / ARMS_FILE, read_json(run / ARMS_FILE), effects, "the tables give")
    digests = {one.cell: one.certificate["digest"] for one in cells}
    _require(run / INDEX, dict(index), index_of(plan, digests), "the certificates give")
    notes = []
    if certificates[0].get("version") == _FIRST:
        notes.append(f"{run}: its certificates are of version 1, which cover neither the model's name nor the tools")
    elif rules != RULES:
        notes.append(f"{run}: judged by rules {rules!r:.40}, and today's are {RULES}: its summaries were not checked")
    return FinishedRun(run, index, plan, price, world, as_played, cells, tuple(notes))


def _plan(
    run: Path, index: Mapping[str, Any], folders: list[str], certificates: list[dict[str, Any]]
) -> tuple[RunPlan, Price | None]:
    """What was asked for, and the model's price, by the certificates, which agree in what all cells share."""
    if not folders:
        raise BadInput("'cells' is empty", where=run / INDEX, next_command=AGAIN)
    headers = [{name: one[name] for name in one if name not in _MADE} for one in certificates]
    first, where = headers[0], run / folders[0] / "certificate.json"
    for folder, other, certificate in zip(folders, headers, certificates, strict=True):
        path = run / folder / "certificate.json"
        if type(version := certificate.get("version")) is not int or not _FIRST <= version <= CERTIFICATE_VERSION:
            what = f"certificate version {version!r:.40}, wanted {CERTIFICATE_VERSION} or before"
            raise BadInput(what, where=path, next_command="a newer caia-replay")
        _require(path, version, certificates[0]["version"], f"{folders[0]} has", "version")
        for name in _SHARED:
            _require(path, other.get(name), first.get(name), f"{folders[0]} has", name)
        _require(path, f"{other.get('arm')}-{other.get('condition')}", folder, "it stands in", "arm")
    cells = [Cell(str(one.get("arm")), str(one.get("condition"))) for one in headers]
    label, covered = index.get("model"), certificates[0]["version"] > _FIRST
    model = first.get("model") if covered else {"name": label, "price": _summary_price(run / folders[0])}
    if not isinstance(model, dict) or type(model.get("name")) is not str:
        raise BadInput(f"model is {model!r:.80}, and has no name", where=where, next_command=AGAIN)
    if not str(label).startswith(RECORDED) or model["name"].startswith(POLICY):  # no policy is on a tape
        _require(run / INDEX, certified_name(str(label)), model["name"], "certificate.json has", "model")
    campaigns = [str(one["campaign"]) for one in headers if one.get("campaign") is not None]
    limits = first["limits"] if isinstance(first.get("limits"), dict) else {}
    plain = {
        **{name: first.get(name) for name in ("suite", "tasks", "agent", "runs", "seed")},
        "world": "",
        "arms": list(dict.fromkeys(cell.arm for cell in cells)),
        "conditions": list(dict.fromkeys(cell.condition for cell in cells)),
        "model": label,
        "campaign": campaigns[0].removeprefix(f"{PLACEBO} of ") if campaigns else DEFAULT_CAMPAIGN,
        "dose": next((one["dose"] for one in headers if one.get("dose") is not None), ""),
        "defence": first.get("defence", ""),
        "tools": first.get("toolset", []),
        "confidence": first.get("confidence", False),
        **{name: limits.get(name) for name in ("turns", "calls", "tokens", "usd")},
    }
    plan = build(RunPlan, plain, where)
    if odd := [task for task in plan.tasks if "/" in task or task in ("", ".", "..")]:
        raise BadInput(f"tasks: {odd[0]!r:.80} is no task's name", where=where, next_command=AGAIN)
    if plan.cells != tuple(cells) or not {*plan.arms} <= {*ARMS} or not {*plan.conditions} <= {*CONDITIONS}:
        raise BadInput("'cells' is not every arm under every condition", where=run / INDEX, next_command=AGAIN)
    return plan, read_price(model.get("price"), where)


def _summary_price(cell: Path) -> Any:
    """The price of a run whose certificates do not cover it."""
    return read_json(cell / "summary.json").get("price")


def _world(
    run: Path, index: Mapping[str, Any], played: Any, start: Path, needed: bool
) -> tuple[WorldFolder | None, bool]:
    """The world of a run's suite, where it can be found as it was played, and whether it is that one."""
    found = None
    for place in (start, run.resolve()):
        try:
            found = world_of(run, index, place) or found
        except SealBroken:
            if needed:
                raise
        if found is not None and found.seal.digest_without_overlays == played:
            return found, True
    return found, False


class _Reading:
    """One cell, read from its trajectories to its summary. ``judge`` is the world whose tasks judge it, None where
    that cannot be told."""

    def __init__(
        self,
        run: Path,
        plan: RunPlan,
        cell: Cell,
        certificate: Mapping[str, Any],
        price: Price | None,
        judge: WorldFolder | None,
    ) -> None:
        self._path, self._plan, self._cell, self._price = run / cell.folder, plan, cell, price
        self._certificate, self._judge = certificate, judge
        self._labels = labels_over(plan.plain(), certificate)
        self._tasks: dict[str, Task] = {} if judge is None else {name: judge.task(name) for name in plan.tasks}
        self._header = {name: value for name, value in certificate.items() if name not in _MADE}
        self._made = Certifying(self._header, certificate["version"])
        self._verdicts: dict[tuple[str, str, str | None], dict[str, Any]] = {}
        self._kept: list[dict[str, Any]] = []
        self._conflicts: list[Conflict | None] = []
        self._rows: list[dict[str, Any]] = []

    def read(self) -> FinishedCell:
        later = ("missed",) if self._certificate["version"] < _MISSED else ()
        _require_rows(self._path / "steps.parquet", STEPS.names, self._steps(), later)
        _require_rows(self._path / "results.parquet", RESULTS.names, self._rows)
        whole = {"whole": self._made.whole()} if self._certificate["version"] > _FIRST else {}
        path = self._path / "certificate.json"
        _require(path, dict(self._certificate), {**self._made.certificate(), **whole}, "the trajectories give")
        summary, path = read_json(self._path / "summary.json"), self._path / "summary.json"
        if self._judge is not None:
            comparable = self._judge.info.comparable_to_published_caia
            told = summarise(
                self._plan,
                self._cell,
                self._kept,
                self._tasks,
                comparable=comparable,
                price=self._price,
                conflicts=self._conflicts,
            )
            told = {name: value for name, value in told.items() if name in summary or name not in _LATER_FIGURES}
            _require(path, summary, {**told, "digest": self._certificate["digest"]}, "its runs give")
        labels = {name: getattr(self._plan, name) for name in ("suite", "model", "agent", "runs")}
        labels |= {"arm": self._cell.arm, "condition": self._cell.condition, "digest": self._certificate["digest"]}
        for name, value in labels.items():
            _require(path, summary.get(name), value, "the certificate has", name)
        served_as: dict[str, int] = {}
        for record in self._kept:
            for name, count in record["served_as"].items():
                served_as[name] = served_as.get(name, 0) + count
        return FinishedCell(self._cell, self._certificate, tuple(self._rows), served_as)

    def _steps(self) -> Iterator[dict[str, Any]]:
        """The rows of all steps; the records pass one by one, and are kept without what was said and shown."""
        wanted = [(task, attempt) for task in self._plan.tasks for attempt in range(1, self._plan.runs + 1)]
        with Trajectories(self._path) as trajectories:
            yield from self._rows_of(trajectories, wanted)
            there = set(trajectories.names())
            if trajectories.is_packed and (self._path / LOOSE).exists():
                raise BadInput("is beside the file that has the runs", where=self._path / LOOSE, next_command=AGAIN)
            if stray := sorted(there - {f"{task}/{attempt}.json" for task, attempt in wanted}):
                raise BadInput("is of no run that is certified", where=trajectories.path / stray[0], next_command=AGAIN)

    def _rows_of(self, trajectories: Trajectories, wanted: Iterable[tuple[str, int]]) -> Iterator[dict[str, Any]]:
        for task, attempt in wanted:
            path = trajectories.where(task, attempt)
            record = read_record(trajectories, task, attempt)
            asked = {"task": task, "attempt": attempt, "arm": self._cell.arm, "condition": self._cell.condition}
            for name, value in asked.items():
                _require(path, record[name], value, "it stands where is", name)
            self._require_verdict(path, record)
            if self._plan.confidence or "confidence" in record:
                said = [step["content"] for step in record["steps"] if step["kind"] == "model"]
                told = {"confidence": confidence_in(record["stop"], said)} if self._plan.confidence else {}
                kept = {name: record[name] for name in ("confidence",) if name in record}
                _require(path, kept, told, "its last message gives")
            self._made.add(record)
            self._rows.append(as_written(result_row(record, self._labels, self._price)))
            if record["task"] in self._tasks:
                self._conflicts.append(conflict_of(record, self._tasks[record["task"]]))
            steps = [{name: step[name] for name in _COUNTED if name in step} for step in record["steps"]]
            self._kept.append({**record, "prompt": (), "steps": steps})
            yield from map(as_written, step_rows(record, self._labels, self._price))

    def _require_verdict(self, path: Path, record: Mapping[str, Any]) -> None:
        task = self._tasks.get(record["task"])
        if task is not None and task.execution is None:
            asked = (task.id, record["stop"], record["answer"])
            if asked not in self._verdicts:  # attempts often answer alike
                score = judged(task, record["stop"], record["answer"])
                self._verdicts[asked] = {"correct": score.correct, "reason": score.reason, "reading": score.reading}
            _require(path, record["score"], self._verdicts[asked], "its answer gives", "score")


def _require_rows(
    path: Path, names: list[str], wanted: Iterable[Mapping[str, Any]], later: tuple[str, ...] = ()
) -> None:
    """Raise ``BadInput`` unless a table has these rows, in this order, and these columns; ``later`` ones may lack."""
    found = read_table(path)
    later += LABELS if "step" in names else LABELS[:-1]  # the first edition has the category in results alone
    names = [name for name in names if name not in later or not found or name in found[0]]
    if found and (odd := sorted(found[0].keys() ^ set(names))):
        what = "is missing" if odd[0] in names else "is no column of ours"
        raise BadInput(f"column {odd[0]!r:.60} {what}", where=path, next_command=AGAIN)
    count = 0
    for count, row in enumerate(wanted, start=1):
        if count > len(found):
            continue  # they are counted to the end
        if found[count - 1] != row or any(type(found[count - 1][name]) is not type(row[name]) for name in names):
            step = f", step {row['step']}" if "step" in row else ""
            place = f"task {row['task']}, attempt {row['attempt']}{step}: "
            for name in names:
                _require(path, found[count - 1][name], row[name], "its trajectory gives", name, place)
    _require(path, len(found), count, "the trajectories give", "number of rows")


def _require(path: Path, found: Any, wanted: Any, giver: str, name: str = "", place: str = "") -> None:
    """Raise ``BadInput`` naming the first field of ``found`` that is not as ``wanted``."""
    if isinstance(wanted, dict):
        wanted = strict_json(pretty_bytes(wanted))  # as a file has it
    for where, one, other in differences(name, found, wanted):
        what = f"{place}{where} is {one:.100}, and {giver} {other:.100}"
        raise BadInput(what, where=path, next_command=AGAIN)


_DIGESTS: Final = ("chain", "digest", "whole")
"""Told last: they differ because something else does."""


def differences(place: str, left: Any, right: Any) -> Iterator[tuple[str, str, str]]:
    """Every difference of two JSON values in reading order: its place, and both sides in words."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys(), key=lambda key: (key in _DIGESTS, key)):
            here = f"{place}: {key}" if place else str(key)
            if key in left and key in right:
                yield from differences(here, left[key], right[key])
            else:
                first, second = (_shown(side[key]) if key in side else NOTHING for side in (left, right))
                yield here, first, second
    elif isinstance(left, list) and isinstance(right, list):
        for at, (a, b) in enumerate(zip(left, right, strict=False)):
            yield from differences(f"{place}[{at}]", a, b)
        if len(left) != len(right):
            yield place, f"{len(left)} entries", f"{len(right)} entries"
    elif left != right or type(left) is not type(right):
        yield place, _shown(left), _shown(right)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
