"""A part of a suite's tasks, drawn by a seed and stratified by category and difficulty.

Tasks are put in order by category, then difficulty, then chance, and every k-th is taken, from a start that chance
gives (systematic sampling). So each task is as likely as any other, and each category and difficulty has its share of
the draw, to within one task.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from caia_replay.canonical import digest
from caia_replay.core.task import Task
from caia_replay.errors import BadInput

TENTH: Final = "tenth"
_OF: Final = "sha256:"


def draw_tasks(tasks: Iterable[Task], how: str, seed: int) -> tuple[str, ...]:
    """The ids of the drawn tasks, sorted; ``how`` is how many, or "tenth" for a tenth of them, rounded, at least one.

    Raises ``BadInput`` for what is no number of tasks that there are.
    """
    known = sorted(tasks, key=lambda task: (task.category, task.difficulty or 0, _chance(seed, task.id)))
    many = max(1, (2 * len(known) + 10) // 20) if how == TENTH else int(how) if how.isdecimal() else 0
    if not 1 <= many <= len(known):
        what = f"{how!r:.40} is no part of {len(known)} tasks"
        raise BadInput(what, where="--draw", next_command=f"--draw {TENTH}, or a number from 1 to {len(known)}")
    start = _chance(seed, "")
    return tuple(sorted(known[int((start + at) * len(known) / many)].id for at in range(many)))


def _chance(seed: int, what: str) -> Fraction:
    """A number from 0 to below 1."""
    drawn = digest(["draw", seed, what]).removeprefix(_OF)
    return Fraction(int(drawn, 16), 16 ** len(drawn))
