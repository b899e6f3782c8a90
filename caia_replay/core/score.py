"""One verdict on one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from caia_replay.core.task import AnswerSpec

RULES: Final = 2
"""The version of all that judges a run: verdicts, facts of attacks, grading, and the figures of a summary.

Raise it in the commit that may change one of them for a run that is already played. Certificates cover it; a folder
that was judged by other rules is read as it was judged, and said to be so.
"""


@dataclass(frozen=True, slots=True)
class Score:
    """``correct`` is None when nothing was scored, and ``reason`` then says why; it is never zero.

    ``reading`` is the answer as the verifier understood it, in canonical words: equal readings are
    equivalent answers, which is what a majority vote counts. None when it could not be read.
    """

    correct: bool | None
    reason: str
    reading: str | None = None


class Verifier(Protocol):
    """Judges answers of one kind without a model; the words of ``question`` may stand in an answer.

    ``form`` is how a model is asked to write such an answer. ``reads`` are the fields of an ``AnswerSpec`` that it
    looks at besides ``kind`` and ``values``.
    """

    reads: tuple[str, ...]

    def form(self, spec: AnswerSpec) -> str: ...

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score: ...
