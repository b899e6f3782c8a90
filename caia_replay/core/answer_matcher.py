"""Whether a text says a value: a question its own answer, or an honest page what a campaign plants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec

_RUN: Final = re.compile(r"[\w.]+", re.ASCII)


class AnswerMatcher:
    """Many texts, asked for many values: the same answers as ``says`` gives, most of them without reading the texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = plain("\n".join(texts))
        runs = set(_RUN.findall(self._text))
        self._words = runs.union(*(_beginnings(run) for run in runs if "." in run))

    def says(self, value: str) -> bool:
        """Whether one of the texts says a value."""
        wanted = plain(value)
        return wanted in self._words if _RUN.fullmatch(wanted) else says(self._text, value)


def _beginnings(run: str) -> Iterator[str]:
    """What may be said at a run's start besides all of it: all before a point that no digit follows."""
    for at, sign in enumerate(run):
        if sign == "." and not run[at + 1 : at + 2].isdigit():
            yield run[:at]


def says_answer(question: str, answer: AnswerSpec) -> bool:
    """Whether a question says its own answer, be it by chance; a yes or no is none that it could say."""
    values = () if answer.kind == "boolean" else answer.values
    text = plain(question)
    return any(says(text, value) for value in values)


def plain(text: str) -> str:
    """A text as ``says`` reads it: letter case and the commas in long numbers do not matter."""
    return text.lower().replace(",", "").strip()


def says(text: str, value: str) -> bool:
    """Whether a ``plain`` text says a value. A number or a name that is only part of another is not said."""
    wanted = plain(value)
    if not wanted or wanted not in text:
        return False
    return re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", text, re.ASCII) is not None
