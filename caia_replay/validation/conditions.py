"""What lint and ``task check`` ask of a task.

A replay and ``verify`` refuse a task by the same functions of ``scoring``: ``stake_fault``, ``check_execution``.
"""

from __future__ import annotations

from collections.abc import Iterator

from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.errors import Miss, nearest
from caia_replay.scoring.loss import stake_fault
from caia_replay.scoring.spec import check_execution
from caia_replay.validation.pattern import gold_pattern_faults, recipe_faults
from caia_replay.world.world import FrozenWorld


def task_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """What is wrong with a task, whoever looks at it: its stake, execution, moment, recipe and patterns."""
    if fault := stake_fault(task):
        yield fault
    if task.execution is not None:
        yield from (f"execution: {what}" for what in check_execution(task.execution))
        for chain in task.execution.chains:
            if chain not in world.snapshots:
                yield f"execution: no chain {chain!r:.60}; nearest: {nearest(chain, world.snapshots)}"
    yield from _moment_faults(world, task)
    yield from _shape_faults(world, task)
    yield from gold_pattern_faults(task.gold)


def _moment_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """Why the task's moment is not that of its block; nothing where the block is not recorded, or there is none."""
    anchor, snapshot = task.anchor, world.snapshots.get(task.anchor.chain)
    is_waiting = anchor.timestamp < 0 and world.folder.info.provenance == "live"
    if anchor.block == NO_BLOCK or is_waiting or snapshot is None:
        return
    moments = []
    for block in (anchor.block, anchor.block + 1):
        try:
            moments.append(int(snapshot.header(block)["timestamp"], 16))
        except Miss:
            moments.append(-1)
    here, later = moments
    if here > anchor.timestamp:
        yield f"anchor timestamp is {anchor.timestamp}, its block's is {here}"
    elif 0 <= here < anchor.timestamp and 0 <= later <= anchor.timestamp:
        yield f"anchor timestamp is {anchor.timestamp}, and the block after its own is of {later}"


def _shape_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """What is wrong with the recipe by which policies read the task's question."""
    recipes = world.folder.suite.recipes
    if task.shape in recipes:
        yield from recipe_faults(recipes[task.shape], task)
    elif recipes and world.folder.info.provenance == "synthetic":
        known = nearest(task.shape, recipes) or ", ".join(recipes)
        shape = f"{task.shape:.80}"
        yield f"shape {shape!r} has no recipe; nearest: {known}; next: add [recipes.{shape}] to suite.toml"
