"""What the scenario knows a contract would answer, height by height: the expected returns of view functions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ViewCall:
    """A call that changes nothing: ``role`` is what the story calls the contract."""

    role: str
    function: str
    arguments: tuple[Any, ...] = ()


class Views:
    """Answers to questions at the ends of blocks; each holds until the next one that was written down."""

    def __init__(self) -> None:
        self._known: dict[ViewCall, tuple[list[int], list[tuple[Any, ...]]]] = {}

    def know(self, block: int, question: ViewCall, *answer: Any) -> None:
        """At the end of ``block`` the question is answered so. Raises ``ValueError`` for a block before the last."""
        blocks, answers = self._known.setdefault(question, ([], []))
        if blocks and block < blocks[-1]:
            raise ValueError(f"{question} is known at block {blocks[-1]} already, which is after {block}")
        if blocks and blocks[-1] == block:
            answers[-1] = answer
        else:
            blocks.append(block)
            answers.append(answer)

    def answer(self, question: ViewCall, block: int) -> tuple[Any, ...]:
        """What the question is answered at the end of ``block``. Raises ``KeyError`` before it was ever known."""
        blocks, answers = self._known.get(question, ([], []))
        at = bisect_right(blocks, block)
        if not at:
            raise KeyError(f"{question} at block {block}")
        return answers[at - 1]

    def questions(self) -> Sequence[ViewCall]:
        """Every question, in the order they were first known."""
        return tuple(self._known)

    def heights(self, question: ViewCall) -> Iterator[int]:
        """The blocks at whose ends an answer was written down."""
        yield from self._known[question][0]
