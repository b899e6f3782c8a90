"""Questions and answers that may not be handed around: the digests that stand for them, and putting them back.

A withheld task keeps what is a fact or ours: category, anchor, kind of answer, tolerance, gold chain. The digest of its
answer is taken over its question too, so that a short answer cannot be guessed by whoever lacks the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote_plus

from caia_replay.canonical import digest
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.store.plain import thawed

OWNER_TAG: Final = "caia"
"""The tag of tasks whose words are never published."""

LONGEST_QUOTE: Final = 7
"""Words of a withheld question in a row that may stand elsewhere: names of projects are as long, sentences longer."""
_SHORTEST_QUESTION: Final = 4
_MOST_LAYERS: Final = 3

# A Chinese character is a word: nothing in such a text says where its words end.
_WORD: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]|[^\\W\u3400-\u4dbf\u4e00-\u9fff]+")
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class Words:
    """What belongs in a withheld task's place, as an import of the owner's own file gives it."""

    question: str
    answer: AnswerSpec


def words_digest(text: str) -> str:
    """What stands for a question: the same as CAIA's rows are known by (``interop.caia_format.question_digest``)."""
    return digest(" ".join(text.split()))


def answer_digest(question: str, answer: AnswerSpec) -> str:
    """What stands for an answer's values, aliases and columns; nobody without the question can try answers on it."""
    columns = None if answer.columns is None else [thawed(column) for column in answer.columns]
    return digest([" ".join(question.split()), list(answer.values), list(answer.aliases), columns])


def withhold(task: Task) -> Task:
    """``task`` with digests in the place of its question and of its answer's values, and without aliases and columns.

    A task that is withheld already stays as it is.
    """
    if is_withheld(task):
        return task
    values = (answer_digest(task.question, task.answer),)
    answer = replace(task.answer, values=values, aliases=(), columns=None)
    return replace(task, question=words_digest(task.question), answer=answer)


def is_withheld(task: Task) -> bool:
    """Whether a digest stands where the question was."""
    return re.fullmatch(r"sha256:[0-9a-f]{64}", task.question) is not None


def restore(task: Task, words: Words | None) -> tuple[Task, str]:
    """The withheld ``task`` with ``words`` in it, as far as they are the ones that were taken out.

    Beside it what of it is not as it was published, "" when all is.
    """
    if words is None:
        return task, "its question is not in the file of questions"
    if words_digest(words.question) != task.question:
        return task, "the file of questions has another question under its id"
    own = words.answer
    answer = replace(task.answer, values=own.values, aliases=own.aliases, columns=own.columns)
    if (answer_digest(words.question, answer),) == task.answer.values:
        return replace(task, question=words.question, answer=answer), ""
    edited = "its answer was edited before it was published; what the import reads stands there"
    return replace(task, question=words.question, answer=own), edited


class Phrases:
    """Finds sentences of withheld questions in other texts, however they are percent-encoded or escaped.

    A text repeats a question when it has more than ``LONGEST_QUOTE`` of its words in a row, or the whole of a shorter
    one. A question of fewer than four words is not looked for: its words stand everywhere.
    """

    def __init__(self, questions: Iterable[str]) -> None:
        self._runs: dict[int, set[tuple[str, ...]]] = {}
        for question in questions:
            words = _words(question)
            length = min(LONGEST_QUOTE + 1, len(words))
            if length >= _SHORTEST_QUESTION:
                self._runs.setdefault(length, set()).update(_windows(words, length))

    def are_in(self, text: str) -> bool:
        """Whether ``text`` repeats a question."""
        return any(self._stand_in(_words(reading)) for reading in _readings(text)) if self._runs else False

    def _stand_in(self, words: list[str]) -> bool:
        return any(window in runs for length, runs in self._runs.items() for window in _windows(words, length))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _windows(words: list[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def _readings(text: str) -> Iterator[str]:
    """``text`` and what is in it when it is decoded, an address inside an address too."""
    for _ in range(_MOST_LAYERS):
        yield text
        plain = unquote_plus(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
        if plain == text:
            return
        text = plain
    yield text
