"""Two run folders compared: identical, or the first difference in reading order; or two agents, task by task.

Run by run, then step by step, then the files made from them. What a certificate does not cover
(run.json, the name of a tape) is not compared, so that a recorded model equals the one it recorded. Agents are compared
with the same model in the same world, so that what differs is the scaffold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caia_replay.analysis.finished_run import NOTHING, FinishedCell, differences, open_run
from caia_replay.analysis.run_world import require_same, scored_run
from caia_replay.errors import BadInput
from caia_replay.models.resolve import RECORDED
from caia_replay.runner.arm_effect import ARMS_FILE
from caia_replay.scoring.paired import Paired, compare
from caia_replay.store.plain_file import folders_below
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import read_json
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder

_LABELS = ("model",)


def first_difference(left: Path, right: Path, start: Path = Path()) -> str | None:
    """The first difference in words, or None. Raises ``BadInput`` when either is no run folder that agrees with
    itself; ``start`` is where their worlds are searched from, and one that is not here is not missed."""
    return next(_differences(left, right, start), None)


def _differences(left: Path, right: Path, start: Path) -> Iterator[str]:
    runs = [open_run(side, start, needs_world=False) for side in (left, right)]
    indexes = [run.index for run in runs]
    cells = [[cell.folder for cell in run.cells] for run in runs]
    yield from _compare("cells", cells[0], cells[1])
    agents = [run.plan.agent for run in runs]
    if agents[0] != agents[1]:
        yield f"agent: {agents[0]!r} != {agents[1]!r}; caia-replay diff --agents compares them task by task"
    for cell in cells[0]:
        a, b = left / cell, right / cell
        for table in ("results", "steps"):
            yield from _tables(f"{cell} {table}", *(read_table(side / f"{table}.parquet") for side in (a, b)))
        yield from _trajectories(cell, a, b)
        yield from _compare(f"{cell} certificate.json", *(read_json(side / "certificate.json") for side in (a, b)))
        yield from _compare(f"{cell} summary.json", *(_unlabelled(read_json(side / "summary.json")) for side in (a, b)))
    if all((side / ARMS_FILE).is_file() for side in (left, right)):  # else the lists of files differ, below
        yield from _compare(ARMS_FILE, *(read_json(side / ARMS_FILE) for side in (left, right)))
    yield from _compare("index.json", *(_unlabelled(index) for index in indexes))
    for side, index in zip(("first", "second"), indexes, strict=True):
        if index.get("digest") is None:
            yield f"index.json: the {side} is not certified, and equals nothing"
    yield from _compare("files", _files(left), _files(right))


def _files(run: Path) -> list[str]:
    below = folders_below(run)
    return sorted((at / name).relative_to(run).as_posix() for at, folders, names in below for name in folders + names)


def _tables(name: str, left: list[dict[str, Any]], right: list[dict[str, Any]]) -> Iterator[str]:
    for a, b in zip(left, right, strict=False):
        place = f"{name}: task {a.get('task')}, attempt {a.get('attempt')}"
        yield from _compare(f"{place}, step {a['step']}" if "step" in a else place, a, b)
    yield from _compare(f"{name}: number of rows", len(left), len(right))


def _trajectories(cell: str, left: Path, right: Path) -> Iterator[str]:
    with Trajectories(left) as one, Trajectories(right) as other:
        yield from _compare(f"{cell} trajectories", one.names(), other.names())
        for name in one.names():
            if one.data(name) != other.data(name):
                task, _, attempt = name.removesuffix(".json").rpartition("/")
                yield from _compare(f"{cell} {name}", *(side.json(task, int(attempt)) for side in (one, other)))
                yield f"{cell} {name}: the bytes differ"


def _compare(place: str, left: Any, right: Any) -> Iterator[str]:
    for where, one, other in differences(place, left, right):
        if NOTHING in (one, other):
            yield f"{where}: only in the {'second' if one == NOTHING else 'first'}"
        else:
            yield f"{where}: {one} != {other}"


def _unlabelled(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key not in _LABELS}


_PLAN = ("runs", "seed", "limits", "defence", "confidence")
_SAME = ("world", "suite", "suite_version", "tasks", "tools", "rules", "overlay", *_PLAN)
"""What must be equal in both certificates of a cell; the agent and its prompts are what is compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """One agent on one task: how many of its scored runs were right, and what a run took on average."""

    right: int
    scored: int
    turns: float
    calls: float
    tokens: float


@dataclass(frozen=True, slots=True)
class TaskPair:
    """Both agents on one task."""

    task: str
    first: Side
    second: Side

    @property
    def differs(self) -> bool:
        """Whether the agents were right differently often."""
        return (self.first.right, self.first.scored) != (self.second.right, self.second.scored)


@dataclass(frozen=True, slots=True)
class AgentDiff:
    """One cell of both runs. ``paired`` is None when no task was scored on both sides."""

    cell: str
    first: str
    second: str
    tasks: tuple[TaskPair, ...]
    paired: Paired | None


def diff_agents(left: Path, right: Path, start: Path) -> tuple[AgentDiff, ...]:
    """Every cell both runs have, in the first's order. ``start`` is where their world is searched from.

    Raises ``BadInput`` when the runs differ in more than the agent (model, world, tasks, number of runs, seed,
    limits), when they do not differ in it, or share no cell.
    """
    runs = [open_run(side, start) for side in (left, right)]
    models = [run.plan.model for run in runs]
    if not any(model.startswith(RECORDED) for model in models):  # a tape may bear any name
        _same("model", *models)
    agents = (runs[0].plan.agent, runs[1].plan.agent)
    if agents[0] == agents[1]:
        what = f"both runs are of the agent {agents[0]!r}"
        raise BadInput(what, where=right, next_command="caia-replay diff RUN_A RUN_B compares them step by step")
    theirs = {cell.folder: cell for cell in runs[1].cells}
    shared = [(cell, theirs[cell.folder]) for cell in runs[0].cells if cell.folder in theirs]
    if not shared:
        raise BadInput("the runs have no cell in common", where=right, nearest=", ".join(theirs))
    return tuple(_cell(first, second, agents, runs[0].world) for first, second in shared)


def _cell(first: FinishedCell, second: FinishedCell, agents: tuple[str, str], world: WorldFolder | None) -> AgentDiff:
    for name in _SAME:
        _same(name, first.certificate.get(name), second.certificate.get(name))
    tables = [_by_task(cell.rows) for cell in (first, second)]
    pairs = [TaskPair(task, _side(tables[0][task]), _side(tables[1][task])) for task in tables[0]]
    scored = [[scored_run(row, world) for rows in table.values() for row in rows] for table in tables]
    return AgentDiff(first.folder, *agents, tuple(pairs), compare(*scored))


def _same(what: str, left: Any, right: Any) -> None:
    command = "caia-replay replay with the same options and another --agent"
    require_same(what, left, right, "agents are compared on one model, world and plan", command)


def _by_task(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["task"], []).append(row)
    return found


def _side(rows: Sequence[Mapping[str, Any]]) -> Side:
    verdicts = [row["correct"] for row in rows if row["correct"] is not None]
    tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in rows)
    totals = (sum(row["turns"] for row in rows), sum(row["calls"] for row in rows), tokens)
    return Side(sum(verdicts), len(verdicts), *(total / len(rows) for total in totals))
