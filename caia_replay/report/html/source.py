"""One run folder, read for a report: plain data, so that folders are read by several processes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedCell, FinishedRun, open_run
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.models.resolve import POLICY
from caia_replay.report.talk import Talk, talk_of
from caia_replay.runner.arm_effect import ARMS_FILE
from caia_replay.store.results import ATTACK_FACTS
from caia_replay.store.run_folder import read_json
from caia_replay.store.trajectory_file import Trajectories

ROW: Final = (
    *("task", "attempt", "stop", "correct", "answer", "reason", "turns", "calls", "served_miss", "served_error"),
    *("prompt_tokens", "completion_tokens", "cost_usd", *ATTACK_FACTS, "adopted_attack", "first_exposed_step"),
    *("loss_usd", "transactions"),
)
"""What the page knows of every run without its conversation: columns of results.parquet."""
PLAN: Final = ("runs", "seed", "campaign", "dose", "defence", "turns", "calls", "tokens", "usd")
"""What the page says of how a run folder was played."""


@dataclass(frozen=True, slots=True)
class Lie:
    """What one family planted against a task, and how many runs were attacked, shown it, and believed it."""

    task: str
    family: str
    value: str
    attacked: int
    exposed: int
    adopted: int


@dataclass(frozen=True, slots=True)
class SourceCell:
    """One arm and condition. ``rows`` are those of results.parquet, in suite order, then by attempt."""

    arm: str
    condition: str
    summary: Mapping[str, Any]
    header: Mapping[str, Any]
    rows: tuple[dict[str, Any], ...]
    talks: Mapping[str, tuple[Talk, ...]]
    lies: tuple[Lie, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One run folder. ``name`` is the folder's last part, ``tasks`` what was asked, by id, in suite order."""

    name: str
    path: str
    model: str
    agent: str
    suite: str
    provenance: str
    seed: int | None
    as_played: bool
    certified: bool
    plan: Mapping[str, Any]
    notes: tuple[str, ...]
    cells: tuple[SourceCell, ...]
    arms: Sequence[Mapping[str, Any]]
    tasks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_policy(self) -> bool:
        """Whether a script answered, and no model."""
        return self.model.startswith(POLICY)

    @property
    def book(self) -> tuple[str, str]:
        """Whose tasks these are: the suite and the digest of its world. Runs of one book were asked the same."""
        return self.suite, str(self.cells[0].header.get("world"))

    def cell(self, arm: str, condition: str) -> SourceCell | None:
        """One of its cells, None where it was not run."""
        found = (one for one in self.cells if (one.arm, one.condition) == (arm, condition))
        return next(found, None)


def read_source(run: Path, start: Path) -> Source:
    """A finished run with all its conversations. Raises as ``open_run``, whose checks it has passed."""
    found = open_run(run, start, needs_world=False)
    kept: dict[Any, Any] = {}
    cells = tuple(_cell(run, one, kept) for one in found.cells)
    labels = found.cells[0].rows[0] if found.cells[0].rows else {}
    played = found.world if found.as_played else None
    return Source(
        name=run.resolve().name,
        path=str(run),
        model=str(labels.get("model", found.plan.model)),
        agent=found.plan.agent,
        suite=found.plan.suite,
        provenance="unknown" if found.world is None else found.world.info.provenance,
        seed=None if played is None else played.info.seed,
        as_played=found.as_played,
        certified=found.index.get("digest") is not None,
        plan={name: getattr(found.plan, name) for name in PLAN},
        notes=tuple(note.removeprefix(f"{run}: ") for note in found.notes),
        cells=cells,
        arms=read_json(run / ARMS_FILE)["comparisons"] if (run / ARMS_FILE).is_file() else (),
        tasks=_tasks(found, cells),
    )


def _tasks(found: FinishedRun, cells: Sequence[SourceCell]) -> dict[str, dict[str, Any]]:
    """Of each task what a reader must know; its world says more of it than its runs do."""
    tasks: dict[str, dict[str, Any]] = {}
    for row in (row for cell in cells for row in cell.rows):
        if row["task"] not in tasks:
            talk = next(cell.talks[row["task"]][0] for cell in cells if row["task"] in cell.talks)
            asked = [text for role, text in talk.prompt if role == "user"]
            tasks[row["task"]] = {
                "question": asked[-1] if asked else "",
                "expected": list(talk.expected),
                **{name: row.get(name) for name in ("category", "project", "difficulty")},
            }
    if found.world is not None and found.as_played:
        for name, known in tasks.items():
            task = found.world.task(name)
            known |= {"question": task.question, "tags": list(task.tags)}
            known |= {"stake_usd": task.stake_usd, "stake_reason": task.stake_reason}
    return tasks


def _cell(run: Path, cell: FinishedCell, kept: dict[Any, Any]) -> SourceCell:
    talks: dict[str, list[Talk]] = {}
    counts: dict[tuple[str, str, str], list[int]] = {}
    with Trajectories(run / cell.folder) as trajectories:
        for row in cell.rows:
            record = trajectories.json(row["task"], row["attempt"])
            talks.setdefault(row["task"], []).append(talk_of(record, kept))
            _count_lies(record, counts)
    return SourceCell(
        arm=cell.cell.arm,
        condition=cell.cell.condition,
        summary=read_json(run / cell.folder / "summary.json"),
        header=cell.header,
        rows=cell.rows,
        talks={task: tuple(own) for task, own in talks.items()},
        lies=tuple(Lie(*key, *numbers) for key, numbers in counts.items()),
    )


def _count_lies(record: Mapping[str, Any], counts: dict[tuple[str, str, str], list[int]]) -> None:
    """Count what was planted against this run's task, by family, and lies to other tasks that it met."""
    if record["stop"] in UNSCORED_STOPS:
        return
    values: dict[str, list[str]] = {}
    for lie in record["planted"]:
        values.setdefault(lie["attack"], []).append(lie["value"])
    for family in {**values, **record["attack"]["by"]}:
        facts = record["attack"]["by"].get(family, {})
        key = (record["task"], family, "; ".join(filter(None, dict.fromkeys(values.get(family, ())))))
        numbers = counts.setdefault(key, [0, 0, 0])
        numbers[0] += family in values
        numbers[1] += bool(facts.get("exposed"))
        numbers[2] += facts.get("adopted") is True
