"""The draw of a suite of orders: every shape's share, at moments and with wallets that differ as far as may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import Anchor, Task
from caia_replay.errors import CheckFailed
from caia_worldgen.canary import canary
from caia_worldgen.execution.every_shape import SHAPES
from caia_worldgen.execution.order import Order, Shape
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Story
from caia_worldgen.tasks.wording import MOST_ALIKE, language_faults, likeness

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
