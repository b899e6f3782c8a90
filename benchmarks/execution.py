"""What carrying tasks out costs: whole runs with their grading, and a fresh fork for each grading beside a checkpoint.

The floor of a whole run are its tool calls alone, without agent, verdict and grading. The floor of a grading is a node
that is kept, with ``evm_snapshot`` before and ``evm_revert`` after the same transactions. Verdicts are compared and
are equal here; but a revert leaves coinbase, base fee and clock behind, so that nothing but this bench grades so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from benchmarks.row import Row, median
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.scratch_chain import ScratchChain
from caia_replay.core.execution import Execution, Graded, Sent
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.runner.episode import stage_for
from caia_replay.runner.grading import grade, grade_on
from caia_replay.runner.plan import Cell, make_plan
from caia_replay.scoring.execution import judge
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.chain_copy import ChainCopies
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

POLICY: Final = "policy/oracle"
GRADING_LIMIT: Final = 12.0
"""A process, its upstream and its first reads of recorded state, beside a node that has all of that already."""
_TASKS, _ROUNDS = 6, 5


@dataclass(frozen=True, slots=True)
class Done:
    """A task, and what its gold chain sent."""

    task: Task
    execution: Execution
    sent: tuple[Sent, ...]


class Checkpoint(ChainCopies):
    """Nodes of a task's chains that are kept from grading to grading, each gone back to where it began."""

    def __init__(self, world: FrozenWorld, execution: Execution, height: Callable[[str], int]) -> None:
        super().__init__(world.snapshots, execution, height)
        self._kept = ExitStack()
        pool = self._kept.enter_context(ForkPool(world.snapshots))
        self._forks = {
            name: self._kept.enter_context(pool.lease(name, height(name), writes=True)) for name in execution.chains
        }
        self._standing: dict[str, ScratchChain] = {}

    def __enter__(self) -> Checkpoint:
        return self

    def chain(self, name: str) -> ScratchChain:
        """The kept node as a chain."""
        return self._standing[name]

    def close(self) -> None:
        """End every node."""
        super().close()
        self._kept.close()

    def grade(self, sent: Sequence[Sent]) -> Graded:
        """As ``runner.grading.grade``, between a checkpoint and the return to it."""
        marks = {name: fork.operate("evm_snapshot") for name, fork in self._forks.items()}
        self._standing = {name: ScratchChain(fork) for name, fork in self._forks.items()}
        for act in self.execution.before:
            self.act(act)
        graded = grade_on(self, sent)
        for name, fork in self._forks.items():
            fork.operate("evm_revert", [marks[name]])
        return graded


def rows(suite: str) -> Iterator[Row]:
    """Whole runs a minute over ``suite``, then one grading. Raises ``CheckFailed`` where verdicts differ, and
    ``BadInput`` for a suite of which nothing is carried out."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        tasks = [task for task in map(folder.task, folder.suite.active()) if task.execution is not None]
        if not tasks:
            raise BadInput(f"no task of {suite} is carried out", where=folder.path, nearest="synthetic-execution")
        yield _runs(world, tasks)
        chosen = tasks[:: max(1, len(tasks) // _TASKS)]
        done = [Done(task, task.execution, _sent(world, task)) for task in chosen if task.execution is not None]
        yield _grading(world, done)


def _runs(world: FrozenWorld, tasks: Sequence[Task]) -> Row:
    """Tasks a minute, in this process alone, after a first run that opens what all share."""
    plan = make_plan(world.folder, arms=("clean",), model=POLICY, runs=1)
    stage = stage_for(world, plan, NO_OVERLAY, "clean")
    spent_s = {"whole": 0.0, "calls": 0.0}
    try:
        stage.run(tasks[0], Cell("clean", "tools"), 1)
        for task in tasks:
            begin = time.perf_counter()
            record = stage.run(task, Cell("clean", "tools"), 1)
            spent_s["whole"] += time.perf_counter() - begin
            if record["score"]["correct"] is not True:
                raise CheckFailed(f"{POLICY} does not carry out {task.id}: {record['score']['reason']}")
            begin = time.perf_counter()
            _sent(world, task)
            spent_s["calls"] += time.perf_counter() - begin
    finally:
        stage.model.close()
    a_minute = {name: len(tasks) / spent * 60 for name, spent in spent_s.items()}
    return Row(f"execution tasks, {POLICY}, graded", a_minute["whole"], "tasks/min", a_minute["calls"])


def _sent(world: FrozenWorld, task: Task) -> tuple[Sent, ...]:
    with WorldToolset(world.task(task)) as tools:
        run_gold(task.gold, tools)
    return tools.sent


def _grading(world: FrozenWorld, done: Sequence[Done]) -> Row:
    """Milliseconds of one grading with its verdict, both ways in turns; the median over tasks and rounds."""
    spent_s: dict[str, list[float]] = {"fresh": [], "kept": []}
    for one in done:
        height = world.task(one.task).newest
        with Checkpoint(world, one.execution, height) as checkpoint:
            ways = {
                "fresh": partial(grade, world.snapshots, one.execution, height, one.sent),
                "kept": partial(checkpoint.grade, one.sent),
            }
            for _ in range(_ROUNDS):
                verdicts = []
                for name, way in ways.items():
                    begin = time.perf_counter()
                    verdicts.append(judge(one.execution, way()))
                    spent_s[name].append(time.perf_counter() - begin)
                fresh, kept = verdicts
                if fresh != kept or fresh.passed is not True:
                    raise CheckFailed(f"{one.task.id}: {fresh.passed} on a fresh fork, {kept.passed} on a checkpoint")
    name = "grading on a fresh fork, beside a checkpoint"
    return Row(name, median(spent_s["fresh"]) * 1e3, "ms", median(spent_s["kept"]) * 1e3, GRADING_LIMIT)
