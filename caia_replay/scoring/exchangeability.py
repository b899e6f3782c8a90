"""Whether a task's attempts are runs of one kind: what must hold between published figures, and a test on runs.

Runs of one kind could have come in any order. A world that drifts between attempts, or figures that describe
different runs, break that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from caia_replay.scoring.metrics import ScoredRun, grouped

DRAWS = 1_999


def pass_at_1_bounds(majority: Fraction, pass_at_n: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """The least and most that Pass@1 can be beside these two figures, if all three are over the same ``n`` runs a task.

    A task with a right majority has from floor(n/2)+1 to n right runs of n. A task without one but with a right
    run has from 1 to floor(n/2): one more would be the majority. Any other has none. So with h = floor(n/2),
    M the majority and P Pass@n, as shares of tasks from 0 to 1:
    (M (h+1) + (P - M)) / n <= Pass@1 <= (M n + (P - M) h) / n. With five runs the most is (5M + 2(P - M)) / 5.
    Where a mere plurality wins, the most still holds, the least need not.

    Raises ``ValueError`` unless 0 <= majority <= pass_at_n <= 1 and n is positive: no runs give such figures.
    """
    if n < 1 or not 0 <= majority <= pass_at_n <= 1:
        raise ValueError(f"no {n} runs a task give a majority of {majority} and a Pass@n of {pass_at_n}")
    half, some = n // 2, pass_at_n - majority
    return (majority * (half + 1) + some) / n, (majority * n + some * half) / n


def excess(pass_at_1: Fraction, majority: Fraction, pass_at_n: Fraction, n: int) -> Fraction:
    """By how much a published Pass@1 is above what its row allows, in shares of tasks; at most 0 when it is possible.

    Raises ``ValueError`` as ``pass_at_1_bounds``.
    """
    return pass_at_1 - pass_at_1_bounds(majority, pass_at_n, n)[1]


@dataclass(frozen=True, slots=True)
class Drift:
    """Cochran's Q over ``tasks`` whose ``attempts`` attempts were all scored, and its p-value.

    ``right`` holds each attempt's number of right runs, in order.
    """

    tasks: int
    attempts: int
    right: tuple[int, ...]
    q: Fraction
    p_value: Fraction


def drift(runs: Iterable[ScoredRun], *, draws: int = DRAWS, seed: int = 0) -> Drift | None:
    """Whether some attempts are right more often than others: each task's verdicts shuffled over its attempts.

    Cochran's Q (Cochran 1950), with the p-value (1 + hits) / (1 + draws) over seeded shuffles instead of its
    large-sample law. Tasks that lack a verdict on some attempt are left out; None when no task is left, when
    there is one attempt only, or when every task's attempts agree: then nothing can be told.
    """
    groups = list(grouped(runs).values())
    attempts = sorted({run.attempt for group in groups for run in group})
    rows = [[run.correct is True for run in group] for group in groups if len(group) == len(attempts)]
    mixed = [row for row in rows if 0 < sum(row) < len(row)]
    if not mixed:
        return None
    right = [sum(column) for column in zip(*rows)]
    base = sum(all(row) for row in rows)
    total, many = sum(right), len(attempts)
    below = many * total - sum(sum(row) ** 2 for row in rows)
    q = Fraction((many - 1) * (many * _squares(right) - total**2), below)
    # A shuffle changes nothing in Q but the squares of the columns, and nothing in a row whose runs agree.
    chance, seen, right_of = Random(seed).random, _squares(right), [sum(row) for row in mixed]
    hits = sum(_squares(_shuffled(right_of, many, base, chance)) >= seen for _ in range(draws))
    return Drift(len(rows), many, tuple(right), q, Fraction(1 + hits, 1 + draws))


def _squares(numbers: Iterable[int]) -> int:
    return sum(number * number for number in numbers)


def _shuffled(right_of: Iterable[int], attempts: int, base: int, chance: Callable[[], float]) -> list[int]:
    """Each attempt's number of right runs when every row's right ones fall on random attempts."""
    columns = [base] * attempts
    for wanted in right_of:
        for attempt in range(attempts):
            if chance() * (attempts - attempt) < wanted:
                columns[attempt] += 1
                wanted -= 1
    return columns
