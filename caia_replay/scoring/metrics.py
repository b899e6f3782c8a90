"""Numbers over many runs: pure functions, fractions from 0 to 1 rounded to six decimals.

Runs that were not scored (``correct`` is None) are left out of every figure, never counted as wrong; a figure
over nothing is None. Every task weighs the same, however many of its runs were scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

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


def pass_at_1(runs: Iterable[ScoredRun]) -> float | None:
    """The mean over tasks of the share of right runs."""
    return _mean(grouped(runs).values(), share_right)


def pass_at_k(runs: Iterable[ScoredRun], k: int | None = None) -> float | None:
    """The chance that of ``k`` of a task's runs, drawn without returning any, at least one is right.

    Without ``k`` all runs of a task are drawn: the share of tasks with at least one right run. A task with fewer
    than ``k`` scored runs is left out. The unbiased estimate of Chen et al. 2021 (arXiv 2107.03374, section 2.1).
    Raises ``ValueError`` when ``k`` is under 1.
    """
    return _mean(_of_at_least(k, runs), lambda group: 1 - _all_drawn(group, k, right=False))


def pass_hat_k(runs: Iterable[ScoredRun], k: int | None = None) -> float | None:
    """The chance that ``k`` of a task's runs, drawn without returning any, are all right; else as ``pass_at_k``.

    Without ``k`` the share of tasks whose runs are all right. tau-bench's pass^k (arXiv 2406.12045, section 3).
    """
    return _mean(_of_at_least(k, runs), lambda group: _all_drawn(group, k, right=True))


def majority(runs: Iterable[ScoredRun]) -> float | None:
    """The share of tasks whose majority answer is right; the rules are ``vote.majority``'s."""
    return _mean(grouped(runs).values(), majority_share)


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

    ``n_tasks`` counts tasks with a scored run, ``n_projects`` the projects they are about (a task without one
    counts as its own): how many of the tasks are independent of each other.
    """
    return _table(runs, lambda run: (run.category,))


def by_tag(runs: Iterable[ScoredRun]) -> dict[str, Row]:
    """As ``by_category`` by tag: a task counts under each of its tags, and nowhere when it has none."""
    return _table(runs, lambda run: run.tags)


def by_difficulty(runs: Iterable[ScoredRun]) -> dict[str, Row]:
    """As ``by_category`` by difficulty, easiest first and written in digits; tasks without one are left out."""
    table = _table(runs, lambda run: () if run.difficulty is None else (str(run.difficulty),))
    return dict(sorted(table.items(), key=lambda row: int(row[0])))


def accuracy_bounds(runs: Iterable[ScoredRun]) -> dict[str, float | None]:
    """What Pass@1 could have been had the world missed nothing and every run been scored.

    ``lower``: every run that is not known to be right is wrong. ``upper``: a wrong run that met a miss, and a
    run that was not scored, might have been right. None when there is no run.
    """
    groups = _groups(runs).values()
    lower = _mean(groups, share_right)
    upper = _mean(groups, _share_perhaps_right)
    return {"lower": lower, "upper": upper}


def scored(runs: Iterable[ScoredRun]) -> dict[str, int]:
    """How many runs and tasks the figures are over: those with at least one verdict."""
    groups = grouped(runs)
    return {"runs": sum(map(len, groups.values())), "tasks": len(groups)}


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


def _table(runs: Iterable[ScoredRun], names: Callable[[ScoredRun], Iterable[str]]) -> dict[str, Row]:
    cells: dict[str, list[ScoredRun]] = {}
    for run in runs:
        for name in names(run):
            cells.setdefault(name, []).append(run)
    return {name: _row(cells[name]) for name in sorted(cells)}


def _row(runs: Iterable[ScoredRun]) -> Row:
    groups = grouped(runs).values()
    return {
        "n_tasks": len(groups),
        "n_projects": len(clustered(groups)),
        "pass_at_1": _mean(groups, share_right),
        "pass_at_k": _mean(groups, lambda group: 1 - _all_drawn(group, None, right=False)),
        "pass_hat_k": _mean(groups, lambda group: _all_drawn(group, None, right=True)),
        "majority": _mean(groups, majority_share),
    }


def _groups(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    groups: dict[str, list[ScoredRun]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.attempt)):
        groups.setdefault(run.task, []).append(run)
    return groups


def _of_at_least(k: int | None, runs: Iterable[ScoredRun]) -> list[Sequence[ScoredRun]]:
    if k is not None and k < 1:
        raise ValueError(f"k is {k}; at least one run must be drawn")
    return [group for group in grouped(runs).values() if len(group) >= (k or 1)]


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
