"""What people scored: the runs of several persons put together, how sure that is, and how far they agree.

The interval is over projects, as everywhere: few people and few tasks make it wide, and too few make none. Agreement is
Krippendorff's alpha over right and wrong, of the first answer of each person to each task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caia_replay.analysis.run_world import scored_run
from caia_replay.models.human import HUMAN
from caia_replay.scoring.agreement import krippendorff_alpha
from caia_replay.scoring.interval import Interval, over_projects
from caia_replay.scoring.metrics import pass_at_1, rounded


@dataclass(frozen=True, slots=True)
class People:
    """What the persons of these ``names`` came to in one cell. ``shared`` tasks were answered by two of them or more;
    ``alpha`` is None where nobody can agree or disagree, ``interval`` where there are too few projects."""

    names: tuple[str, ...]
    tasks: int
    answers: int
    pass_at_1: float | None
    interval: Interval | None
    shared: int
    alpha: float | None


def people_of(runs: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> People | None:
    """Of models and their rows of one cell those of people, together; None without a person."""
    given = [(model, row) for model, rows in runs if model.startswith(HUMAN) for row in rows]
    if not given:
        return None
    scored = [replace(scored_run(row, None), project=row.get("project")) for _, row in given]
    first: dict[str, dict[str, int]] = {}
    for model, row in given:
        if row["correct"] is not None:
            first.setdefault(row["task"], {}).setdefault(model, int(row["correct"]))
    units = [list(answers.values()) for answers in first.values()]
    alpha = krippendorff_alpha(units)
    return People(
        names=tuple(sorted({model.removeprefix(HUMAN) for model, _ in given})),
        tasks=len(first),
        answers=sum(one.correct is not None for one in scored),
        pass_at_1=pass_at_1(scored),
        interval=over_projects(one for one in scored if one.correct is not None),
        shared=sum(len(unit) > 1 for unit in units),
        alpha=None if alpha is None else rounded(alpha),
    )
