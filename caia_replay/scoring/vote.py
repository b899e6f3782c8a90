"""The majority over several runs of one task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ballot:
    """One scored run's vote: the answer as it was read (None when there is none to read), and its verdict."""

    reading: str | None
    correct: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """The outcome: ``reading`` is the majority's answer, None without a majority, which is then wrong."""

    correct: bool
    reading: str | None
    votes: int
    runs: int


def majority(ballots: Sequence[Ballot]) -> Vote:
    """The answer more than half of *all* runs gave, counted over equal readings, not equal strings.

    **Tie rule**: two answers level, or no answer with more than half, is no majority, and no majority is wrong.
    **Missing-run rule**: a run without an answer, or with one that cannot be read, votes for nothing and still
    counts in the denominator, so two right answers beside three silent runs are not a majority.
    Raises ``ValueError`` for no runs at all: nothing was scored, which is not a wrong answer.
    """
    if not ballots:
        raise ValueError("a vote needs at least one run")
    counts = Counter(ballot.reading for ballot in ballots if ballot.reading is not None)
    for reading, votes in counts.items():
        if 2 * votes > len(ballots):
            right = any(ballot.correct for ballot in ballots if ballot.reading == reading)
            return Vote(right, reading, votes, len(ballots))
    return Vote(False, None, max(counts.values(), default=0), len(ballots))
