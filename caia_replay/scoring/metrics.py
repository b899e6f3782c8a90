"""Numbers over many runs: pure functions, fractions from 0 to 1 rounded to six decimals.

Runs that were not scored (``correct`` is None) are left out of every figure, never counted as wrong; a figure
over nothing is None. Every task weighs the same, however many of its runs were scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from caia_replay.core.trajectory import StopReason
from caia_replay.scoring.vote import Ballot
from caia_replay.scoring.vote import majority as vote


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run as metrics need it. ``misses`` counts its tool calls served as MISS; ``attempt`` starts at 0 or 1."""

    task: str
    category: str
    attempt: int
    correct: bool | None
    reading: str | None
    stop: StopReason
    misses: int = 0


def pass_at_1(runs: Iterable[ScoredRun]) -> float | None:
    """The mean over tasks of the share of right runs."""
    return _mean_over_tasks(runs, _share_right)


def pass_at_k(runs: Iterable[ScoredRun]) -> float | None:
    """The share of tasks with at least one right run."""
    return _mean_over_tasks(runs, lambda group: Fraction(any(run.correct for run in group)))


def pass_hat_k(runs: Iterable[ScoredRun]) -> float | None:
    """The share of tasks whose runs are all right (tau-bench's pass^k)."""
    return _mean_over_tasks(runs, lambda group: Fraction(all(run.correct for run in group)))


def majority(runs: Iterable[ScoredRun]) -> float | None:
    """The share of tasks whose majority answer is right; the rules are ``vote.majority``'s."""
    return _mean_over_tasks(runs, lambda group: Fraction(majority_right(group)))


def majority_right(group: Sequence[ScoredRun]) -> bool:
    """Whether the majority of one task's scored runs is right."""
    return vote([Ballot(run.reading, run.correct is True) for run in group]).correct


def by_category(runs: Iterable[ScoredRun]) -> dict[str, dict[str, float | int | None]]:
    """The four figures and ``n_tasks`` of each category that was run, in the order of their names."""
    everything = list(runs)
    table: dict[str, dict[str, float | int | None]] = {}
    for category in sorted({run.category for run in everything}):
        own = [run for run in everything if run.category == category]
        table[category] = {
            "n_tasks": len(grouped(own)),
            "pass_at_1": pass_at_1(own),
            "pass_at_k": pass_at_k(own),
            "pass_hat_k": pass_hat_k(own),
            "majority": majority(own),
        }
    return table


def accuracy_bounds(runs: Iterable[ScoredRun]) -> dict[str, float | None]:
    """What Pass@1 could have been had the world missed nothing and every run been scored.

    ``lower``: every run that is not known to be right is wrong. ``upper``: a wrong run that met a miss, and a
    run that was not scored, might have been right. None when there is no run.
    """
    everything = list(runs)
    lower = _mean_over_groups(_groups(everything), lambda run: run.correct is True)
    upper = _mean_over_groups(_groups(everything), lambda run: run.correct is not False or run.misses > 0)
    return {"lower": lower, "upper": upper}


def scored(runs: Iterable[ScoredRun]) -> dict[str, int]:
    """How many runs and tasks the figures are over: those with at least one verdict."""
    groups = grouped(runs)
    return {"runs": sum(map(len, groups.values())), "tasks": len(groups)}


def grouped(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    """The scored runs of each task, tasks by name and runs by attempt."""
    return _groups(run for run in runs if run.correct is not None)


def rounded(value: Fraction) -> float:
    """Six decimals, ties to even, decided on the exact rational."""
    return float(round(value, 6))


def _groups(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    groups: dict[str, list[ScoredRun]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.attempt)):
        groups.setdefault(run.task, []).append(run)
    return groups


def _mean_over_groups(groups: Mapping[str, list[ScoredRun]], counts: Callable[[ScoredRun], bool]) -> float | None:
    if not groups:
        return None
    shares = (Fraction(sum(map(counts, group)), len(group)) for group in groups.values())
    return rounded(sum(shares, Fraction(0)) / len(groups))


def _share_right(group: Sequence[ScoredRun]) -> Fraction:
    return Fraction(sum(bool(run.correct) for run in group), len(group))


def _mean_over_tasks(runs: Iterable[ScoredRun], figure: Callable[[Sequence[ScoredRun]], Fraction]) -> float | None:
    groups = grouped(runs)
    if not groups:
        return None
    return rounded(sum((figure(group) for group in groups.values()), Fraction(0)) / len(groups))
