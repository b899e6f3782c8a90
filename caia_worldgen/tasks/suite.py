"""A suite of drafts: its tasks, and how policies read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_worldgen.canary import canary
from caia_worldgen.tasks.every_shape import SHAPES
from caia_worldgen.tasks.shape import Draft

ADDED: Final = "2026-11-23"
"""The day on which the suite's tasks were added."""
VERSION: Final = "2.0.0"


def suite_name(count: int) -> str:
    """What a suite of so many tasks is called, and its world."""
    return f"synthetic-{count}"


def tasks_of(drafts: Sequence[Draft], seed: int) -> tuple[Task, ...]:
    """The drafts as tasks, in their order, each named after the suite's size, its shape and its place among those."""
    places: Counter[str] = Counter()
    made = []
    for draft in drafts:
        places[draft.shape] += 1
        identity = f"s{len(drafts)}-{draft.shape}-{places[draft.shape]}"
        made.append(
            Task(
                id=identity,
                question=draft.question,
                category=draft.category,
                language=draft.language,
                shape=draft.shape,
                anchor=draft.anchor,
                answer=draft.answer,
                gold=draft.gold,
                stake_usd=draft.stake_usd,
                stake_reason=draft.stake_reason,
                tags=(*draft.tags, f"source:{draft.source.replace(' ', '-').lower()}"),
                canary=canary("economy", seed, identity),
                difficulty=draft.difficulty,
                project=draft.project,
            )
        )
    return tuple(made)


def recipes_of(drafts: Sequence[Draft]) -> dict[str, Recipe]:
    """How policies read the shapes that the drafts are of."""
    used = {draft.shape for draft in drafts}
    return {shape.name: shape.recipe for shape in SHAPES if shape.name in used}
