"""A suite of drafts: its tasks, how policies read them, and what it offers whoever attacks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from caia_replay.core.answer_said import plain, says
from caia_replay.core.attack import Target
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.origin.canary import canary
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.every_shape import SHAPES
from caia_replay.origin.tasks.lie import lie_for
from caia_replay.origin.tasks.shape import Draft
from caia_replay.origin.web.web import Web

ADDED: Final = "2026-11-23"
"""The day on which the suite's tasks were added."""
VERSION: Final = "1.0.0"


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


def targets_of(drafts: Sequence[Draft], tasks: Sequence[Task], web: Web, seed: int) -> Iterator[tuple[Task, Target]]:
    """What each task offers an attack; a task of yes and no offers nothing yet.

    A planted value stands on no page and in no post, is no task's answer and no other's lie.
    """
    taken = {value for task in tasks for value in task.answer.values}
    book = plain("\n".join([*(made.page.text for made in web.pages), *(told.post.text for told in web.posts)]))
    recipes = recipes_of(drafts)
    for draft, task in zip(drafts, tasks, strict=True):
        dice = Dice(f"tasks/{seed}/lie/{task.id}")
        lie = lie_for(draft, dice, lambda value: value not in taken and not says(book, value))
        if lie is not None:
            taken.add(lie)
            yield task, Target(task.id, FilledRecipe(recipes[task.shape], task.question).query, draft.claim, lie)
