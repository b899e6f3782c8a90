"""What the bands of docs/suite.md are counted from: the suite's files and its corpus, no policy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import WorldFolder
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True)
class Counted:
    """Ids of the tasks whose recipe has a chain call, and of those that some honest page states rightly."""

    chain: frozenset[str]
    stated: frozenset[str]


def counted(folder: WorldFolder) -> Counted:
    """Read every page that each task can see with its own recipe."""
    chain, stated = set(), set()
    with FrozenWorld(folder) as world:
        for task in map(folder.task, folder.suite.active()):
            recipe = folder.suite.recipes[task.shape]
            reading = FilledRecipe(recipe, task.question)
            if recipe.chain is not None:
                chain.add(task.id)
            told = {reading.in_page(page.text) for page in world.task(task).pages()} - {None}
            if any(verify(task.answer, answer).correct for answer in told):
                stated.add(task.id)
    return Counted(frozenset(chain), frozenset(stated))


def guess(answer: AnswerSpec) -> Fraction:
    """At most how often ``random`` is right, by the kind of answer; docs/policies.md has the table."""
    if answer.kind == "boolean":
        return Fraction(1, 3)
    if answer.kind == "date":
        return Fraction(1, 365)
    # A number is drawn as a whole one over twelve orders of magnitude: a wide tolerance is hit in 2 per cent of draws.
    return Fraction(2, 100) if answer.kind == "number" else Fraction(1, 100) if answer.kind == "text" else Fraction(0)
