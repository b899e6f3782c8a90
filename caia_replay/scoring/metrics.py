"""Numbers over many runs: pure functions, fractions from 0 to 1 rounded to six decimals.

Runs that were not scored (``correct`` is None) are left out of Pass@1, never counted as wrong. Figures that ask about
all runs of a task (the majority, Pass@k, pass^k) are over *whole* tasks alone, those whose runs were all scored: fewer
runs are another question, with another answer. ``whole_bounds`` says what the rest may do. A figure over nothing is
None. Every task weighs the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Final, Literal

from caia_replay.core.trajectory import StopReason
from caia_replay.scoring.vote import Ballot
from caia_replay.scoring.vote import majority as vote

Row = dict[str, float | int | None]
Figure = Callable[[Sequence["ScoredRun"]], Fraction]
"""One task's number, from 0 to 1, over its scored runs, of which there is at least one."""


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run as metrics need it. ``misses`` counts its tool calls served as MISS; ``attempt`` starts at 0 or 1.

    ``tags``, ``difficulty`` and ``project`` are the task's, and so the same in all runs of a task.
    """

    task: str
    category: str
    attempt: int
    correct: bool | None
    reading: str | None
    stop: StopReason
    misses: int = 0
    tags: tuple[str, ...] = ()
    difficulty: int | None = None
    project: str | None = None


Part = Literal["category", "tag", "difficulty"]
_PARTS: Final[Mapping[Part, Callable[[ScoredRun], Iterable[str]]]] = {
    "category": lambda run: (run.category,),
    "tag": lambda run: run.tags,
    "difficulty": lambda run: () if run.difficulty is None else (str(run.difficulty),),
}


def pass_at_1(runs: Iterable[ScoredRun]) -> float | None:
    """The mean over tasks of the share of right runs."""
    return _mean(grouped(runs).values(), share_right)


def pass_at_k(runs: Iterable[ScoredRun], k: int | None = None) -> float | None:
    """The chance that of ``k`` of a task's runs, drawn without returning any, at least one is right.

    Without ``k`` all runs of a task are drawn: the share of tasks with at least one right run. A task with a run that
    was not scored, or with fewer than ``k`` runs, is left out. The unbiased estimate of Chen et al. 2021 (arXiv
    2107.03374, section 2.1). Raises ``ValueError`` when ``k`` is under 1.
    """
    return _mean(_of_at_least(k, runs), lambda group: 1 - _all_drawn(group, k, right=False))


def pass_hat_k(runs: Iterable[ScoredRun], k: int | None = None) -> float | None:
    """The chance that ``k`` of a task's runs, drawn without returning any, are all right; else as ``pass_at_k``.

    Without ``k`` the share of tasks whose runs are all right. tau-bench's pass^k (arXiv 2406.12045, section 3).
    """
    return _mean(_of_at_least(k, runs), lambda group: _all_drawn(group, k, right=True))


def majority(runs: Iterable[ScoredRun]) -> float | None:
    """The share of whole tasks whose majority answer is right; the rules are ``vote.majority``'s."""
    return _mean(grouped(complete(runs)).values(), majority_share)


def majority_right(group: Sequence[ScoredRun]) -> bool:
    """Whether the majority of one task's scored runs is right."""
    return vote([Ballot(run.reading, run.correct is True) for run in group]).correct


def majority_share(group: Sequence[ScoredRun]) -> Fraction:
    """One when the majority of one task's scored runs is right, else zero."""
    return Fraction(majority_right(group))


def share_right(group: Sequence[ScoredRun]) -> Fraction:
    """The share of one task's scored runs that are right."""
    return Fraction(right_runs(group), len(group))


def right_runs(group: Sequence[ScoredRun]) -> int:
    """How many of one task's runs are right."""
    return sum(run.correct is True for run in group)


def by_category(runs: Iterable[ScoredRun]) -> dict[str, Row]:
    """The four figures of each category that was run, in the order of their names.

    ``n_tasks`` counts tasks with a scored run, ``n_whole`` those whose runs were all scored, ``n_projects`` the
    projects that the former are about (a task without one counts as its own).
    """
    return _table(runs, "category")


def by_tag(runs: Iterable[ScoredRun]) -> dict[str, Row]:
    """As ``by_category`` by tag: a task counts under each of its tags, and nowhere when it has none."""
    return _table(runs, "tag")


def by_difficulty(runs: Iterable[ScoredRun]) -> dict[str, Row]:
    """As ``by_category`` by difficulty, easiest first and written in digits; tasks without one are left out."""
    return _table(runs, "difficulty")


def parts(runs: Iterable[ScoredRun], by: Part) -> dict[str, list[ScoredRun]]:
    """The runs of each category, tag or difficulty, in the order of the tables."""
    found: dict[str, list[ScoredRun]] = {}
    for run in runs:
        for name in _PARTS[by](run):
            found.setdefault(name, []).append(run)
    order = sorted(found, key=int if by == "difficulty" else str)
    return {name: found[name] for name in order}


def accuracy_bounds(runs: Iterable[ScoredRun]) -> dict[str, float | None]:
    """What Pass@1 could have been had the world missed nothing and every run been scored.

    ``lower``: every run that is not known to be right is wrong. ``upper``: a wrong run that met a miss, and a
    run that was not scored, might have been right. None when there is no run.
    """
    groups = _groups(runs).values()
    lower = _mean(groups, share_right)
    upper = _mean(groups, _share_perhaps_right)
    return {"lower": lower, "upper": upper}


def whole_bounds(runs: Iterable[ScoredRun]) -> dict[str, dict[str, float | None]]:
    """What the figures over whole tasks could have been over all tasks: were every unscored run wrong, and right."""
    given = list(runs)
    ends = [
        [replace(run, correct=right if run.correct is None else run.correct) for run in given]
        for right in (False, True)
    ]
    figures = {"pass_at_k": pass_at_k, "pass_hat_k": pass_hat_k, "majority": majority}
    return {name: dict(zip(("lower", "upper"), map(figure, ends), strict=True)) for name, figure in figures.items()}


def scored(runs: Iterable[ScoredRun]) -> dict[str, int]:
    """What the figures are over: runs with a verdict, tasks with such a run, and whole tasks."""
    given = list(runs)
    groups = grouped(given)
    return {"runs": sum(map(len, groups.values())), "tasks": len(groups), "whole_tasks": len(grouped(complete(given)))}


def complete(runs: Iterable[ScoredRun]) -> list[ScoredRun]:
    """The runs of tasks whose runs were all scored."""
    return [run for group in _groups(runs).values() if None not in {run.correct for run in group} for run in group]


def grouped(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    """The scored runs of each task, tasks by name and runs by attempt."""
    return _groups(run for run in runs if run.correct is not None)


def clustered(groups: Iterable[Sequence[ScoredRun]]) -> list[list[Sequence[ScoredRun]]]:
    """Groups of tasks that are about one project; a task without a project is a cluster of its own."""
    clusters: dict[tuple[str, str], list[Sequence[ScoredRun]]] = {}
    for group in groups:
        clusters.setdefault(cluster_of(group[0]), []).append(group)
    return list(clusters.values())


def cluster_of(run: ScoredRun) -> tuple[str, str]:
    """What names a run's cluster; a project and a task may bear the same name."""
    return ("task", run.task) if run.project is None else ("project", run.project)


def rounded(value: Fraction) -> float:
    """Six decimals, ties to even, decided on the exact rational."""
    return float(round(value, 6))


def _table(runs: Iterable[ScoredRun], by: Part) -> dict[str, Row]:
    return {name: _row(own) for name, own in parts(runs, by).items()}


def _row(runs: Sequence[ScoredRun]) -> Row:
    groups = grouped(runs).values()
    return {
        "n_tasks": len(groups),
        "n_whole": len(grouped(complete(runs))),
        "n_projects": len(clustered(groups)),
        "pass_at_1": pass_at_1(runs),
        "pass_at_k": pass_at_k(runs),
        "pass_hat_k": pass_hat_k(runs),
        "majority": majority(runs),
    }


def _groups(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    groups: dict[str, list[ScoredRun]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.attempt)):
        groups.setdefault(run.task, []).append(run)
    return groups


def _of_at_least(k: int | None, runs: Iterable[ScoredRun]) -> list[Sequence[ScoredRun]]:
    if k is not None and k < 1:
        raise ValueError(f"k is {k}; at least one run must be drawn")
    return [group for group in grouped(complete(runs)).values() if len(group) >= (k or 1)]


def _all_drawn(group: Sequence[ScoredRun], k: int | None, *, right: bool) -> Fraction:
    """The chance that ``k`` drawn runs, or all of them, are every one right, or every one wrong."""
    number = len(group) if k is None else k
    alike = right_runs(group) if right else len(group) - right_runs(group)
    return Fraction(comb(alike, number), comb(len(group), number))


def _share_perhaps_right(group: Sequence[ScoredRun]) -> Fraction:
    return Fraction(sum(run.correct is not False or run.misses > 0 for run in group), len(group))


def _mean(groups: Iterable[Sequence[ScoredRun]], figure: Figure) -> float | None:
    figures = [figure(group) for group in groups]
    return rounded(sum(figures, Fraction(0)) / len(figures)) if figures else None
