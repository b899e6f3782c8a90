"""Which tasks of a suite to retire, and why, as finished runs tell. Nothing is written: people decide.

- ``solved by all``: every scored attempt of at least so many models was right with tools in the clean world.
- ``solved without tools``: a model was right in most attempts without tools, from memory or by chance.
- ``leaked canary``: a model said the task's canary, which no question and no tool shows.
- ``drifted source``: in a newer recording of the suite the task's own chain no longer gives its answer.

Policies are scripts and say nothing of how hard a task is; they are left out of the first two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.canonical import canonical_bytes
from caia_replay.errors import BadInput
from caia_replay.intake.flags import CANARY
from caia_replay.models.resolve import POLICY
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder
from caia_replay.validation.verify import verify_suite

FEWEST_ATTEMPTS: Final = 3
"""Without tools: from so many scored attempts on, most of them right is a finding."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One task and one reason to retire it, with its evidence in words."""

    task: str
    reason: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposals in suite order, over ``tasks`` that are run. ``models`` played with tools in the clean world; ``notes``
    is what else a reader must know."""

    suite: str
    tasks: int
    models: tuple[str, ...]
    found: tuple[Proposal, ...]
    notes: tuple[str, ...]


def proposals(runs: Sequence[Path], start: Path, least_models: int = 3, newer: WorldFolder | None = None) -> Proposals:
    """What finished runs of one suite propose to retire; ``newer`` is a newer recording of that suite.

    Raises as ``open_run``, and ``BadInput`` when the runs are of several suites or the suite's world is not here.
    """
    opened = [open_run(run, start) for run in runs]
    worlds = [_world(run) for run in opened]
    world = worlds[0]
    for run, other in zip(opened, worlds, strict=True):
        if other.suite.id != world.suite.id:
            what = f"is of suite {other.suite.id}, and the first run of {world.suite.id}"
            raise BadInput(what, where=run.path, next_command="name the runs of one suite")
    tools, memory = _scored(opened, "tools"), _scored(opened, "no-tools")
    said = _canaries(opened, world)
    drifted = {} if newer is None else dict(_drift(newer, world))
    found = list[Proposal]()
    for task in world.suite.active():
        found += _all_right(task, tools, least_models)
        found += _from_memory(task, memory, world.task(task).answer.kind == "boolean")
        found += [Proposal(task, "leaked canary", f"{one} said it") for one in dict.fromkeys(said.get(task, ()))]
        found += [Proposal(task, "drifted source", drifted[task])] if task in drifted else []
    notes = [note for run in opened for note in run.notes]
    models = tuple(sorted({model for by in tools.values() for model in by}))
    if len(models) < least_models:
        notes.append(f"{len(models)} models played with tools in the clean world; 'solved by all' needs {least_models}")
    return Proposals(world.suite.id, len(world.suite.active()), models, tuple(found), tuple(notes))


Verdicts = Mapping[str, Mapping[str, list[bool]]]
"""Task -> model -> verdicts of the scored attempts in the clean world."""


def _scored(runs: Sequence[FinishedRun], condition: str) -> Verdicts:
    found: dict[str, dict[str, list[bool]]] = {}
    for run in runs:
        for cell in run.cells:
            model = _model(cell.header, run)
            if (cell.cell.arm, cell.cell.condition) == ("clean", condition) and not model.startswith(POLICY):
                for row in cell.rows:
                    if row["correct"] is not None:
                        found.setdefault(row["task"], {}).setdefault(model, []).append(bool(row["correct"]))
    return found


def _model(header: Mapping[str, Any], run: FinishedRun) -> str:
    """The model's own name, a recorded one's, too: played live and from its tape it is one model."""
    model = header.get("model")
    return str(model["name"]) if isinstance(model, dict) else run.plan.model


def _all_right(task: str, tools: Verdicts, least: int) -> Iterator[Proposal]:
    by_model = tools.get(task, {})
    if len(by_model) >= least and all(all(verdicts) for verdicts in by_model.values()):
        attempts = sum(map(len, by_model.values()))
        yield Proposal(task, "solved by all", f"{len(by_model)} models, {attempts} of {attempts} attempts right")


def _from_memory(task: str, memory: Verdicts, is_yes_or_no: bool) -> Iterator[Proposal]:
    chance = "; a yes or no, which chance alone gets right half the time" if is_yes_or_no else ""
    for model, verdicts in sorted(memory.get(task, {}).items()):
        if len(verdicts) >= FEWEST_ATTEMPTS and 2 * sum(verdicts) > len(verdicts):
            told = f"{model} was right in {sum(verdicts)} of {len(verdicts)} attempts{chance}"
            yield Proposal(task, "solved without tools", told)


def _canaries(runs: Sequence[FinishedRun], world: WorldFolder) -> dict[str, list[str]]:
    """By task, the models that said its canary, in whatever run."""
    canaries = {world.task(task).canary: task for task in world.suite.active()}
    canaries.pop("", None)
    odd = [canary for canary in canaries if not CANARY.fullmatch(canary)]
    found: dict[str, list[str]] = {}
    for run in runs:
        for cell in run.cells:
            with Trajectories(run.path / cell.folder) as trajectories:
                for row in cell.rows:
                    words = _words(read_record(trajectories, row["task"], row["attempt"]))
                    for canary in {*CANARY.findall(words), *(canary for canary in odd if canary in words)}:
                        if canary in canaries:
                            found.setdefault(canaries[canary], []).append(_model(cell.header, run))
    return found


def _words(record: Mapping[str, Any]) -> str:
    """All that a model said in a run: not what it was shown."""
    said = [{**step} for step in record["steps"] if step["kind"] == "model"]
    return canonical_bytes([record["answer"], said]).decode("utf-8", "replace")


def _drift(newer: WorldFolder, world: WorldFolder) -> Iterator[tuple[str, str]]:
    if newer.suite.id != world.suite.id:
        what = f"is a recording of suite {newer.suite.id}, and the runs are of {world.suite.id}"
        raise BadInput(what, where=newer.path, next_command="another --newer")
    for outcome in verify_suite(newer, ()):
        if outcome.solved is False:
            yield outcome.task, f"in {newer.path.name} its chain gives {outcome.answer or outcome.reason!r:.80}"


def _world(run: FinishedRun) -> WorldFolder:
    if run.world is None:
        what = f"the world of suite {run.plan.suite} is not here, and its tasks stand in it"
        raise BadInput(what, where=run.path, next_command="the same command beside that world's cassettes/ folder")
    return run.world
