"""Proof that a suite is solvable: every gold chain executed offline and judged by its own verifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from caia_replay.core.gold import NO_CHAIN_TAGS
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, WallLimit
from caia_replay.scoring.spec import require_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Verified:
    """One task's outcome. ``solved`` only when the chain ended in an answer the verifier accepts; None for a task of a
    live world whose tags say that no chain answers it, which nothing can prove."""

    task: str
    solved: bool | None
    answer: str | None
    expected: str
    reason: str


def _is_unverifiable(folder: WorldFolder, task: Task) -> bool:
    """Whether an import found that no chain answers the task; one that merely lacks its chain is a fault, and a world
    that was made up has a chain for every question it asks."""
    return folder.info.provenance == "live" and not task.gold.result and not NO_CHAIN_TAGS.isdisjoint(task.tags)


def verify_suite(folder: WorldFolder, tasks: Sequence[str] = ()) -> Iterator[Verified]:
    """Execute the gold chains of the named tasks, each once, or of every active one, in suite order.

    Raises ``BadInput`` before anything is executed for a task that the suite does not have, and for one whose answer
    no verifier can judge.
    """
    chosen = [folder.task(task_id) for task_id in dict.fromkeys(tasks or folder.suite.active())]
    order = {entry.id: at for at, entry in enumerate(folder.suite.entries)}
    for task in chosen:
        require_spec(task, folder.path / "tasks" / task.id / "task.toml")
    with FrozenWorld(folder) as world:
        for task in sorted(chosen, key=lambda task: order[task.id]):
            if _is_unverifiable(folder, task):
                yield Verified(task.id, None, None, "", "no chain of calls yields its answer")
                continue
            expected = "; ".join(task.answer.values)
            if folder.info.provenance == "live":
                try:  # a suite is recorded task by task, and the rest of it waits
                    world.require_anchor(task)
                except BadInput as fault:
                    yield Verified(task.id, False, None, expected, f"not recorded yet: {fault.what}")
                    continue
            with WorldToolset(world.task(task)) as tools:
                try:
                    run = run_gold(task.gold, tools)
                except WallLimit as limit:
                    run = GoldRun((), None, str(limit))
            score = verify(task.answer, run.answer)
            yield Verified(task.id, score.correct is True, run.answer, expected, run.fault or score.reason)
