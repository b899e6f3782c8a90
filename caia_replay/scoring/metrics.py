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
    """What Pass@1 could have been had the world missed nothing.

    ``lower``: every wrong run stays wrong. ``upper``: a wrong run that met a miss might have been right.
    """
    everything = list(runs)
    upper = _mean_over_tasks(
        everything, lambda group: Fraction(sum(bool(run.correct) or run.misses > 0 for run in group), len(group))
    )
    return {"lower": pass_at_1(everything), "upper": upper}


def grouped(runs: Iterable[ScoredRun]) -> Mapping[str, list[ScoredRun]]:
    """The scored runs of each task, tasks by name and runs by attempt."""
    groups: dict[str, list[ScoredRun]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.attempt)):
        if run.correct is not None:
            groups.setdefault(run.task, []).append(run)
    return groups


def rounded(value: Fraction) -> float:
    """Six decimals, ties to even, decided on the exact rational."""
    return float(round(value, 6))


def _share_right(group: Sequence[ScoredRun]) -> Fraction:
    return Fraction(sum(bool(run.correct) for run in group), len(group))


def _mean_over_tasks(runs: Iterable[ScoredRun], figure: Callable[[Sequence[ScoredRun]], Fraction]) -> float | None:
    groups = grouped(runs)
    if not groups:
        return None
    return rounded(sum((figure(group) for group in groups.values()), Fraction(0)) / len(groups))
