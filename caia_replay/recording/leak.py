"""Keeps a benchmark's own questions and answers out of what is recorded for it.

The filter is made at run time, out of the suite that is being recorded: nobody's sentences are kept here. What it looks
at is what a model would read: pages, rows of result lists, posts; never the words somebody searched for.

Texts are compared as words, without case, accents, markup and thousands separators. A shingle is five words in a row (a
Chinese, Japanese or Korean character is half a word). A text quotes a question when it has ``QUOTED`` of its shingles,
or, close to them, the question's answer too and ``QUOTED_BESIDE_ANSWER``. An answer alone proves nothing: "Yes" and "0"
are everywhere, and the page that an address is looked up on has it by right. A question of fewer than five words counts
only as a whole and with its answer. Every step takes time in proportion to the text, whatever it holds; Unicode's own
normal forms are made word by word, since over a whole hostile text they would take time in its square.
"""

from __future__ import annotations

import html
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import unquote

from caia_replay.canonical import strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.reader.address import capture_of, is_archived
from caia_replay.providers.reader.provider import ReaderProvider, read_page, target_of
from caia_replay.providers.search_api import provider as search_api
from caia_replay.providers.x import provider as x_api
from caia_replay.providers.x.item import posts_of
from caia_replay.search.text import CJK
from caia_replay.store.plain import build

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

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt\"'/\\])")
# Tags, and where a Markdown link leads: neither is read.
_MARKUP: Final = re.compile(r"</?[A-Za-z][^<>]{0,500}>|\]\([^()\s]{0,500}\)")
# Combining accents, and marks of no width that are put between letters.
_MARK: Final = re.compile("[\u00ad\u0300-\u036f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_THOUSANDS: Final = re.compile(r"(?<=[0-9])[,'’_](?=[0-9]{3}(?![0-9]))")
_WORD: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_HALF: Final = re.compile(f"[{CJK}]")
_LATIN_WORD: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class LeakPlace:
    """``hosts`` with all below them (none: any), ``begins`` of the path (none: any), ``words`` that all stand in the
    address, each as one of its own. Everything in lower case. One that names nothing would be everywhere."""

    hosts: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def holds(self, address: str) -> bool:
        """Whether a web address is there; what is none is nowhere."""
        try:
            place = canonical_url(address)
        except BadInput:
            return False
        host, path = place.host.rstrip("."), unquote(f"{place.path}?{place.query}").lower()
        if self.hosts and not any(host == one or host.endswith(f".{one}") for one in self.hosts):
            return False
        if self.begins and not path.startswith(self.begins):
            return False
        return not self.words or set(self.words) <= set(_LATIN_WORD.findall(f"{host}{path}"))


@lru_cache(maxsize=1)
def leak_places() -> tuple[LeakPlace, ...]:
    """The project's own list, leak_hosts.toml."""
    text = files("caia_replay.recording").joinpath("leak_hosts.toml").read_text("utf-8")
    return tuple(build(LeakPlace, row, "leak_hosts.toml") for row in tomllib.loads(text)["place"])


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
    """What must not be in the recordings of ``tasks``. Immutable once made, and as fast for a hundred questions as for
    one."""

    def __init__(self, tasks: Iterable[Task]) -> None:
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
            if any(place.holds(address) for place in leak_places()):
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


def words_of(text: str) -> list[str]:
    """The words of a text in order; every Chinese, Japanese or Korean character is one. Never raises."""
    if "\\" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    text = _MARKUP.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if not text.isascii():
        text = _MARK.sub("", text)
    words = _WORD.findall(_THOUSANDS.sub("", text))
    return [word.lower() if word.isascii() else _plain(word) for word in words]


def is_half(word: str) -> bool:
    """Whether a word is a single character of a script without spaces, which says about half as much."""
    return len(word) == 1 and _HALF.match(word) is not None


def _plain(word: str) -> str:
    if is_half(word):
        return word
    spelled = unicodedata.normalize("NFKD", word).casefold()
    return "".join(char for char in spelled if not unicodedata.combining(char)) or word
