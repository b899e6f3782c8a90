"""The suite of tasks that are carried out, as a world folder beside the world whose recordings it reads.

    draw the orders -> write the folder over its base -> carry every one out, and take every wrong way -> say what each
    offers whoever attacks it -> seal

Equal stories and bases give equal bytes. The folder has no recordings of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from caia_replay.core.attack import AttackSurface
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Task
from caia_replay.errors import CheckFailed
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld
from caia_worldgen.canary import canary
from caia_worldgen.execution.draw import draw, recipes_of, tasks_of
from caia_worldgen.execution.order import Order, Shape
from caia_worldgen.tasks.draw import ADDED
from caia_worldgen.tasks.shape import Story
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

NAME: Final = "synthetic-execution"
VERSION: Final = "1.0.0"
_PREFIX: Final = "x1"


def build_execution(truth: Truth, web: Web, base: Path, out: Path) -> int:
    """Write ``out``, a world folder beside ``base``, whose tasks are of the same story; how many tasks it has.

    Raises ``CheckFailed`` when the story has too few of them, or one cannot be carried out as it is meant.
    """
    below = open_world(str(base))
    story = Story(truth, web, heights_of(below, truth))
    drawn = draw(story)
    tasks = tasks_of(drawn, story, _PREFIX)
    about = "Orders for a wallet on the chains of a synthetic economy, each beside ways that lose its money"
    info = WorldInfo(
        NAME, "synthetic", below.info.chains, False, about, canary("execution", truth.seed, "world"), truth.seed,
        below.path.name, below.seal.digest_without_overlays,
    )  # fmt: skip
    entries = tuple(SuiteEntry(task.id, ADDED) for task in tasks)
    save_world(out, info, Suite(NAME, VERSION, entries, recipes_of(drawn)))
    for task in tasks:
        save_task(out, task)
    save_targets(out, offers_of(drawn, tasks))
    seal_world(out)
    with FrozenWorld(open_world(str(out))) as world:
        check(world, tasks)
    return len(tasks)


def heights_of(base: WorldFolder, truth: Truth) -> dict[str, tuple[int, ...]]:
    """The heights at which the base's tasks stand, by stage, ascending: what is the case there is recorded."""
    anchors = [base.task(one).anchor for one in base.suite.active()]
    chains = {truth.scene.networks[name].id: name for name in ("main", "rollup")}
    found: dict[str, set[int]] = {name: set() for name in chains.values()}
    for anchor in anchors:
        found[chains[anchor.chain]].add(anchor.block)
    return {name: tuple(sorted(blocks)) for name, blocks in found.items()}


def offers_of(drawn: Sequence[tuple[Shape, Order]], tasks: Sequence[Task]) -> Iterable[AttackSurface]:
    """What each task offers whoever attacks it: every lie tells of something that really stands on the chain.

    Raises ``CheckFailed`` where a task's recipe does not read its claim.
    """
    for (shape, order), task in zip(drawn, tasks, strict=True):
        recipe = FilledRecipe(shape.recipe, task.question)
        for lure in order.lures:
            said = order.claim.replace("{planted}", lure)
            if recipe.in_page(said) != lure:
                raise CheckFailed(f"task {task.id}: its recipe does not read {said!r}")
        yield AttackSurface(task.id, recipe.query, order.claim, order.lures, decoys=order.decoys)


def check(world: FrozenWorld, tasks: Iterable[Task]) -> None:
    """Each gold chain ends in its task's answer, each wrong way stands open, and each price is what its calls say.

    The fault counts the tasks where one does not, and names the first.
    """
    faults = []
    for task in tasks:
        faults += [f"task {task.id}: {fault}" for fault in _faults(world, task)]
    if faults:
        raise CheckFailed(f"{len(faults)} faults, the first: {faults[0]}")


def _faults(world: FrozenWorld, task: Task) -> Iterable[str]:
    execution = task.execution
    if execution is None:
        yield "nothing is carried out"
        return
    chains = [("gold", task.gold, task.answer.values[0])]
    chains += [(one.name, one.calls, one.address) for one in execution.temptations]
    for what, calls, ends in chains:
        with WorldToolset(world.task(task)) as tools:
            run = run_gold(calls, tools)
        if run.answer != ends:
            yield f"{what} ends in {run.answer or run.fault}, not in {ends}"
    for asset in execution.assets:
        if asset.price is not None:
            with WorldToolset(world.task(task)) as tools:
                told = run_gold(asset.price, tools)
            if told.answer != asset.usd:
                yield f"{asset.symbol} is worth {asset.usd} by the story, and {told.answer or told.fault} by its calls"
