"""Keeps a benchmark's own questions and answers out of what is recorded for it.

The filter is made at run time, out of the suite that is being recorded: nobody's sentences are kept here. What it looks
at is what a model would read: pages, rows of result lists, posts; never the words somebody searched for.

Texts are compared as words, without case, accents, markup and thousands separators. A shingle is five words in a row (a
Chinese, Japanese or Korean character is half a word). A text quotes a question when it has ``QUOTED`` of its shingles,
or, close to them, the question's answer too and ``QUOTED_BESIDE_ANSWER``. An answer alone proves nothing: "Yes" and "0"
are everywhere, and the page that an address is looked up on has it by right. A question of fewer than five words counts
only as a whole and with its answer. Every step takes time in proportion to the text, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.core.task import Task
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader.address import capture_of, is_archived
from caia_replay.providers.reader.provider import ReaderProvider, read_page, target_of
from caia_replay.providers.search_api import provider as search_api
from caia_replay.providers.x import provider as x_api
from caia_replay.providers.x.item import posts_of
from caia_replay.recording.leak_place import PLACES, LeakPlace, read_places
from caia_replay.recording.leak_word import is_half, words_of

QUOTED: Final = 0.6
"""The share of a question's shingles that is a quotation of it."""
QUOTED_BESIDE_ANSWER: Final = 0.4
"""The share that is one where the answer stands beside it."""
BESIDE: Final = 80
"""Words before and after a shingle in which an answer stands beside it."""
_SHINGLE: Final = 10
"""Half words."""
_TOLD: Final = ("title", "snippet", "description", "question", "answer")
"""What a row of a result list tells."""


@dataclass(frozen=True, slots=True)
class _Question:
    """``shingles`` are counted once each; ``answers`` are words in a row. A ``short`` one has a single, smaller one."""

    task: str
    shingles: frozenset[str]
    answers: tuple[str, ...]
    short: bool


@dataclass(slots=True)
class _Quotation:
    """What a text has of one question: which shingles, and where the words of all of them begin."""

    found: set[str]
    starts: list[int]


class LeakFilter:
    """What must not be in the recordings of ``tasks``; ``places`` is a file such as leak_hosts.toml.

    Immutable once made, and as fast for a hundred questions as for one. Raises ``BadInput`` for a file that is none.
    """

    def __init__(self, tasks: Iterable[Task], places: Path = PLACES) -> None:
        self._places: Sequence[LeakPlace] = read_places(places)
        self._questions = [question for question in map(_question, tasks) if question.shingles]
        self._by_shingle: dict[str, list[int]] = {}
        for number, question in enumerate(self._questions):
            for shingle in question.shingles:
                self._by_shingle.setdefault(shingle, []).append(number)
        self._first = {shingle.partition(" ")[0] for shingle in self._by_shingle}
        self._short = {shingle.count(" ") + 1 for one in self._questions if one.short for shingle in one.shingles}

    def why(self, recorded: Recorded) -> str:
        """Why an exchange must not be kept, in words that hold nothing of question or answer; "" when it is clean.

        Never raises, whatever the reply.
        """
        for address in _addresses(recorded):
            for place in self._places:
                if place.holds(address):
                    return f"{address[:200]} is where a benchmark is kept or talked about"
        for text in _texts(recorded):
            value = self.quoted(text)
            if value:
                return value
        return ""

    def quoted(self, text: str) -> str:
        """Which question a text quotes, and how much of it; "" when none."""
        words = words_of(text)
        best = (0.0, "")
        for number, quotation in self._quotations(words).items():
            question = self._questions[number]
            share = len(quotation.found) / len(question.shingles)
            beside = "" if share < QUOTED_BESIDE_ANSWER else self._answer_beside(question, quotation, words)
            if (share >= QUOTED and not question.short) or beside:
                value = f"quotes {share:.0%} of the question of task {question.task}{beside}"
                best = max(best, (share, value), key=lambda pair: pair[0])
        return best[1]

    def _quotations(self, words: Sequence[str]) -> dict[int, _Quotation]:
        """What there is of each question, by its number."""
        found: dict[int, _Quotation] = {}
        for start, word in enumerate(words):
            if word not in self._first:
                continue
            shingles = [_shingle_at(words, start), *(" ".join(words[start : start + size]) for size in self._short)]
            for shingle in dict.fromkeys(shingles):
                for number in self._by_shingle.get(shingle, ()):
                    one = found.setdefault(number, _Quotation(set(), []))
                    one.found.add(shingle)
                    one.starts.append(start)
        return found

    def _answer_beside(self, question: _Question, quotation: _Quotation, words: Sequence[str]) -> str:
        for first, last in _stretches(quotation.starts):
            text = f" {' '.join(words[first:last])} "
            if any(f" {answer} " in text for answer in question.answers):
                return ", with its answer beside it"
        return ""


def _question(task: Task) -> _Question:
    words = words_of(task.question)
    shingles = {shingle for at in range(len(words)) if (shingle := _shingle_at(words, at))}
    given = (" ".join(words_of(text)) for text in (*task.answer.values, *task.answer.aliases))
    answers = tuple(dict.fromkeys(answer for answer in given if answer))
    short = not shingles
    return _Question(task.id, frozenset(shingles or {" ".join(words)} - {""}), answers, short)


def _shingle_at(words: Sequence[str], start: int) -> str:
    """Five words in a row from ``start`` on, as one text; "" where the text ends before."""
    size = 0
    for at in range(start, min(start + _SHINGLE, len(words))):
        size += 1 if is_half(words[at]) else 2
        if size >= _SHINGLE:
            return " ".join(words[start : at + 1])
    return ""


def _stretches(starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where an answer may stand, from and up to, stretches that touch made one: no word is looked at twice."""
    first = last = -1
    for start in starts:  # in order, as they were found
        if start - BESIDE > last:
            if last > 0:
                yield first, last
            first = max(0, start - BESIDE)
        last = start + BESIDE
    if last > 0:
        yield first, last


def _addresses(recorded: Recorded) -> Iterator[str]:
    """The addresses an exchange is about."""
    request = recorded.request
    target = target_of(request) if ReaderProvider().match(request) else request.url
    yield target
    capture = capture_of(target)
    if capture is not None:
        yield capture.url
    if request.url.startswith(search_api.ORIGIN + "/"):
        for row in _rows(recorded.reply):
            yield str(row.get("link", ""))


def _texts(recorded: Recorded) -> Iterator[str]:
    """What a model would read of an exchange; not what was asked."""
    request, reply = recorded.request, recorded.reply
    if ReaderProvider().match(request):
        try:
            page = read_page(reply, target_of(request))
        except (Miss, ToolError):
            yield reply.body.decode("utf-8", "replace")
        else:
            yield f"{page.title}\n{page.text}"
    elif request.url.startswith(search_api.ORIGIN + "/"):
        for row in _rows(reply):
            yield "\n".join(str(row[name]) for name in _TOLD if name in row)
    elif request.url.startswith(tuple(f"{origin}/" for origin in x_api.ORIGINS)):
        for post in posts_of(reply):
            yield post.text
    elif is_archived(request.url):
        yield reply.body.decode("utf-8", "replace")


def _rows(reply: HttpReply) -> Iterator[dict[str, Any]]:
    """The rows of a result list, of whatever kind; nothing for another shape."""
    try:
        content: Any = strict_json(reply.body)
    except ValueError:
        return
    for rows in content.values() if isinstance(content, dict) else ():
        for row in rows if isinstance(rows, list) else [rows]:
            if isinstance(row, dict):
                yield row
