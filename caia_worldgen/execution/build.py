"""The suite of tasks that are carried out, as a world folder beside the world whose recordings it reads.

    draw the orders -> write the folder over its base -> carry every one out, and take every wrong way -> say what each
    offers whoever attacks it -> seal

Equal stories and bases give equal bytes. The folder has no recordings of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from caia_replay.core.attack import AttackSurface
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe, Suite, SuiteEntry
from caia_replay.core.task import Anchor, Task
from caia_replay.errors import CheckFailed
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld
from caia_worldgen.execution.every_shape import SHAPES
from caia_worldgen.execution.order import Order, Shape
from caia_worldgen.execution.story import Story
from caia_worldgen.finished import canary
from caia_worldgen.rng import Rng
from caia_worldgen.suite.language import MOST_ALIKE, language_faults, likeness
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

FEWEST: Final = 20
"""Tasks of a suite that is worth the name."""


def draw(story: Story, shapes: Sequence[Shape] = SHAPES, fewest: int = FEWEST) -> tuple[tuple[Shape, Order], ...]:
    """As many orders of each shape as it may give, in suite order.

    Those come first whose project, lure, wallet and moment no other has. Raises ``CheckFailed`` where all shapes
    together have too few, and for a question that is not written as it should be.
    """
    drawn: list[tuple[Shape, Order]] = []
    for shape in shapes:
        hand = list(shape.choice(story, Rng(f"execution/{story.scene.seed}/{shape.name}")))
        for _ in range(shape.most):
            hand = [one for one in hand if not _is_asked(one, drawn)]
            if not hand:
                break
            ours = [order for other, order in drawn if other is shape]
            chosen = min(hand, key=lambda one: _taken(one, ours, [order for _, order in drawn]))
            hand.remove(chosen)
            drawn.append((shape, chosen))
    if len(drawn) < fewest:
        raise CheckFailed(f"the shapes have {len(drawn)} orders, {fewest} are wanted")
    for shape, order in drawn:
        for fault in language_faults(order.question, "en"):
            raise CheckFailed(f"{shape.name}: {order.question!r} {fault}")
    return tuple(drawn)


def tasks_of(drawn: Sequence[tuple[Shape, Order]], story: Story, added_to: str) -> tuple[Task, ...]:
    """The orders as tasks, each named after ``added_to``, its shape and its place among those."""
    places: Counter[str] = Counter()
    made = []
    for shape, order in drawn:
        places[shape.name] += 1
        identity = f"{added_to}-{shape.name}-{places[shape.name]}"
        kinds = dict.fromkeys(one.kind.replace(" ", "-") for one in order.execution.temptations)
        moment = order.stage.calendar.times[order.block]
        made.append(
            Task(
                id=identity,
                question=order.question,
                category=shape.category,
                language="en",
                shape=shape.name,
                anchor=Anchor(story.chain(order.stage), order.block, moment),
                answer=order.spec,
                gold=order.gold,
                stake_usd=str(order.at_risk_usd),
                stake_reason=shape.stake_reason,
                tags=("execution", *(f"temptation:{kind}" for kind in kinds)),
                canary=canary("execution", story.scene.seed, identity),
                difficulty=shape.difficulty,
                project=order.project,
                execution=order.execution,
            )
        )
    return tuple(made)


def recipes_of(drawn: Sequence[tuple[Shape, Order]]) -> dict[str, Recipe]:
    """How policies read the shapes that the orders are of."""
    return {shape.name: shape.recipe for shape, _ in drawn}


def _taken(order: Order, ours: Sequence[Order], others: Sequence[Order]) -> tuple[int, ...]:
    """How often ``ours``, those of its shape, have the order's project, its lure and its answer, and how often any
    others have its wallet and its moment."""
    owner = order.execution.wallets[0].address
    return (
        sum(one.project == order.project for one in ours) + sum(one.answer == order.answer for one in ours),
        sum(one.lures == order.lures for one in ours),
        sum(one.execution.wallets[0].address == owner for one in others),
        sum((one.stage.name, one.block) == (order.stage.name, order.block) for one in others),
    )


def _is_asked(order: Order, drawn: Sequence[tuple[Shape, Order]]) -> bool:
    return any(likeness(order.question, other.question) > MOST_ALIKE for _, other in drawn)


NAME: Final = "synthetic-execution"
ADDED: Final = "2026-11-23"
"""The day on which the suite's tasks were added."""
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
