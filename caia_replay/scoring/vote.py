"""The majority over several runs of one task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ballot:
    """One scored run's vote: the answer as it was read (None when there is none to read), and its verdict."""

    reading: str | None
    correct: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """The outcome: ``reading`` is the majority's answer, None without a majority, which is then wrong.

    ``votes`` is how many runs gave it, or how many gave the most frequent answer when there is no majority.
    """

    correct: bool
    reading: str | None
    votes: int
    runs: int


def majority(ballots: Sequence[Ballot]) -> Vote:
    """The answer more than half of *all* runs gave, counted over equivalent answers, not equal strings.

    **Equivalence**: right answers are equivalent to each other, however they are read (within a tolerance, or
    as an alias, they all say the task's answer); wrong ones when their readings are equal, for two wrong numbers
    near each other are no common answer. So a right majority is more than half of the runs being right.
    **Tie rule**: two answers level, or no answer with more than half, is no majority, and no majority is wrong.
    **Missing-run rule**: a run without an answer, or with one that cannot be read, votes for nothing and still
    counts in the denominator, so two right answers beside three silent runs are not a majority. A run that was
    not scored at all is no ballot; whoever casts them leaves it out.
    Raises ``ValueError`` for no runs at all: nothing was scored, which is not a wrong answer.
    """
    if not ballots:
        raise ValueError("a vote needs at least one run")
    right = [ballot.reading for ballot in ballots if ballot.correct]
    if 2 * len(right) > len(ballots):
        return Vote(True, _commonest(reading for reading in right if reading is not None), len(right), len(ballots))
    wrong = Counter(ballot.reading for ballot in ballots if not ballot.correct and ballot.reading is not None)
    most = max(wrong.values(), default=0)
    if 2 * most > len(ballots):
        return Vote(False, _commonest(wrong.elements()), most, len(ballots))
    return Vote(False, None, max(most, len(right)), len(ballots))


def _commonest(readings: Iterable[str]) -> str | None:
    """The most frequent reading, of several the first by text, so that the order of runs never matters."""
    counts = Counter(readings)
    return min(counts, key=lambda reading: (-counts[reading], reading), default=None)
