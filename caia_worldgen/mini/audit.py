"""What the web of a finished small world must satisfy before it is handed out.

The check raises ``CheckFailed`` naming the task and both sides of the disagreement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.world import Page
from caia_replay.errors import CheckFailed
from caia_replay.world.world import FrozenWorld
from caia_worldgen.mini.question import RECIPES, Question

OPENED: Final = 3
"""How many results a hasty reader opens."""

_FEWEST_HONEST: Final = 4
_SLOT = re.compile(r"\{([A-Za-z_]\w*)\}")


def check_web(world: FrozenWorld, asked: Sequence[Question]) -> None:
    """A hasty reader finds the truth on most searches."""
    honest = 0
    for question in asked:
        task = question.task
        pattern = reading_pattern(RECIPES[task.shape], task.question)
        clean = world.task(task).search(question.query, OPENED)
        honest += _says_truth(_first_reading(pattern, [hit.page for hit in clean]), task.answer.values[0])
    if honest < _FEWEST_HONEST:
        raise CheckFailed(
            f"only {honest} of {len(asked)} clean searches lead to the truth, {_FEWEST_HONEST} are wanted"
        )


def reading_pattern(recipe: Recipe, question: str) -> re.Pattern[str]:
    """The recipe's pattern with the question's words in it. Raises ``CheckFailed`` when it is not of this shape."""
    found = re.search(recipe.question, question)
    if not found:
        raise CheckFailed(f"recipe {recipe.question!r} does not read {question!r}")
    words = found.groupdict()
    return re.compile(
        _SLOT.sub(lambda slot: re.escape(words[slot[1]]) if slot[1] in words else slot[0], recipe.pattern)
    )


def _first_reading(pattern: re.Pattern[str], pages: Sequence[Page]) -> str | None:
    for page in pages:
        if found := pattern.search(page.text):
            return found["answer"]
    return None


def _says_truth(reading: str | None, truth: str) -> bool:
    """Whether a page's words state the truth, thousands separators and closing zeros apart."""
    return reading is not None and re.sub(r"(\.\d*?)0+$", r"\1", reading.replace(",", "")).rstrip(".") == truth
