"""The recorded answers of a world through an index file, so that no process parses its cassettes twice.

The index is made from the cassettes and believed only where it is proven (``index_file``): a stale, foreign, damaged
or forged one is built anew, and where none can be kept, or one breaks while it is open, the cassettes themselves
answer from memory. Whatever becomes of the file, the answers are those of the cassettes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import overload

from caia_replay.canonical import digest, digest_bytes
from caia_replay.cassette.answer import Answer, Answers
from caia_replay.cassette.cassette import Cassette, read_cassette
from caia_replay.cassette.identity import IDENTITY_VERSION, identify
from caia_replay.cassette.index_file import Damaged, IndexFile, Row, named, open_index_file, write_index_file
from caia_replay.cassette.recordings import MemoryStore
from caia_replay.cassette.row_bytes import read_row, row_bytes
from caia_replay.errors import BadInput
from caia_replay.store.private_folder import index_key, private_folder

INDEX_VERSION = 2
KEPT_BYTES = 16 * 1024 * 1024
"""How much of the answers already used a process keeps ready; the oldest go first."""

_WEIGHT = 2048  # what an answer takes besides its bytes
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class Source:
    """One cassette file and the digest (``sha256:`` and hex) that its bytes must have."""

    path: Path
    digest: str

    @classmethod
    def of(cls, path: Path) -> Source:
        """The file as it is now. Raises ``BadInput`` when it cannot be read."""
        return cls(path, digest_bytes(read_cassette(path)))

    def open(self) -> Cassette:
        """The cassette, parsed. Raises ``BadInput`` as ``Cassette.open``, and when it is no longer the same file."""
        cassette = Cassette.open(self.path)
        if cassette.digest != self.digest:
            raise BadInput("the cassette was changed after its digest was checked", where=self.path)
        return cassette


@dataclass(slots=True)
class _Question:
    """Where a question's rows are, by cassette, and its answers as far as they were read."""

    rows: dict[int, range]
    answers: dict[int, Answers] = field(default_factory=dict)
    weight: int = 0


class CassetteIndex:
    """The answers of several cassettes, an earlier one before a later one. Shared by runs and threads.

    ``folder`` is where the index is kept, made if need be; where that cannot be, it is kept in this user's private
    folder, or nowhere. ``label`` names what is indexed: a new index of it replaces the old ones. Raises ``BadInput``
    for a cassette that is not sound.
    """

    def __init__(self, sources: Sequence[Source], folder: Path, label: str) -> None:
        self._sources = tuple(sources)
        self._places = {source.path: at for at, source in reversed(list(enumerate(sources)))}
        self._known: dict[bytes, _Question] = {}
        self._weight = 0
        self._lock = Lock()
        self._cassettes: list[Cassette] = []
        self._stores: dict[tuple[int, ...], MemoryStore] = {}
        self.path: Path | None = None
        self._file = self._open(folder, label)
        if self._file is None:
            self.in_memory(())
        else:
            self._cassettes = []

    def store(self, *own: Path | None) -> IndexedAnswers:
        """The answers, with those of the cassettes at ``own`` before all others, in this order."""
        return IndexedAnswers(self, tuple(self._places[path] for path in own if path in self._places))

    def find(self, key: bytes, own: tuple[int, ...]) -> Answers | None:
        """The answers to a question: of the first of the cassettes ``own`` that has any, else of the first that has."""
        if self._file is not None:
            try:
                return self._find_in(self._file, key, own)
            except Damaged:
                self._discard()
        return self.in_memory(own).answers(key)

    def key_at(self, rank: int) -> bytes:
        """The identity at a place in the sorted order of all questions."""
        if self._file is not None:
            try:
                return self._file.key_at(rank)
            except Damaged:
                self._discard()
        return self.in_memory(()).questions()[rank]

    def __len__(self) -> int:
        """How many different questions have an answer."""
        return len(self.in_memory(()).questions()) if self._file is None else self._file.questions

    def in_memory(self, own: tuple[int, ...]) -> MemoryStore:
        """The same answers without the file. Raises ``BadInput`` when the cassettes are no longer what they were."""
        with self._lock:
            if () not in self._stores:
                self._stores[()] = MemoryStore(self._parsed())
            if own not in self._stores:
                first = [self._parsed()[at] for at in own]
                self._stores[own] = MemoryStore(first, self._stores[()])
            return self._stores[own]

    def _find_in(self, file: IndexFile, key: bytes, own: tuple[int, ...]) -> Answers | None:
        wanted = file.hash_of(key)
        question = self._known.get(wanted)
        if question is None:
            question = _Question(file.find(wanted))
            if not question.rows:
                return None
        cassette = next((at for at in own if at in question.rows), None)
        if cassette is None:
            cassette = next(iter(question.rows))
        found = question.answers.get(cassette)
        return self._load(file, key, wanted, question, cassette) if found is None else found

    def _load(self, file: IndexFile, key: bytes, wanted: bytes, question: _Question, cassette: int) -> Answers:
        rows = [file.row(at) for at in question.rows[cassette]]
        answers = Answers([_answer(row, key) for row in rows])
        with self._lock:
            question = self._known.setdefault(wanted, question)
            if cassette not in question.answers:
                question.answers[cassette] = answers
                question.weight += (weight := sum(map(len, rows)) + _WEIGHT * len(rows))
                self._weight += weight
            while self._weight > KEPT_BYTES and len(self._known) > 1:
                oldest = next(iter(self._known))
                if oldest == wanted:  # it was here before, and got another cassette's answers: the newest now
                    self._known[oldest] = self._known.pop(oldest)
                else:
                    self._weight -= self._known.pop(oldest).weight
            return question.answers[cassette]

    def _open(self, folder: Path, label: str) -> IndexFile | None:
        private = private_folder()
        key = index_key(private)
        if private is None or key is None:
            return None
        label = _UNSAFE.sub("_", label)[:80]
        elsewhere = digest_bytes(str(folder.absolute()).encode("utf-8", "surrogateescape"))[7:23]
        name = f"{label}-{named(key, self._made_from())}.arrow"
        for place in (folder, private / f"index-{elsewhere}"):
            try:
                found = self._open_or_build(place, name, key)
            except (OSError, Damaged):
                continue  # a place that cannot be written, or where somebody else writes too
            self.path = place / name
            return found
        return None

    def _open_or_build(self, place: Path, name: str, key: bytes) -> IndexFile:
        if place.is_symlink() or place.parent.is_symlink():
            raise Damaged("leads to another place")
        try:
            return open_index_file(place / name, key)
        except Damaged:
            place.mkdir(parents=True, exist_ok=True)
            if not os.access(place, os.W_OK | os.X_OK):
                raise
            write_index_file(place / name, list(self._rows()), key)
            return open_index_file(place / name, key)

    def _rows(self) -> Iterator[Row]:
        for at, cassette in enumerate(self._parsed()):
            for item in cassette.interactions:
                key, ids = identify(item.method, item.uri, item.request_body)
                yield Row(key, at, row_bytes(key, ids, item))

    def _made_from(self) -> str:
        """A digest of everything that decides what an index holds, this code included; not where it lies."""
        return digest(
            {
                "versions": [INDEX_VERSION, IDENTITY_VERSION],
                "code": _code(),
                "sources": [source.digest for source in self._sources],
            }
        )

    def _parsed(self) -> list[Cassette]:
        if not self._cassettes:
            self._cassettes = [source.open() for source in self._sources]
        return self._cassettes

    def _discard(self) -> None:
        """Answer from memory from here on, and let the next process build a new file."""
        self._file = None
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


class IndexedAnswers:
    """An index as the ``AnswerStore`` of one task; ``own`` are the places of its own cassettes, which win."""

    def __init__(self, index: CassetteIndex, own: tuple[int, ...]) -> None:
        self._index = index
        self._own = own

    def answers(self, key: bytes) -> Answers | None:
        """The answers to one question, or None when it was never recorded."""
        return self._index.find(key, self._own)

    def questions(self) -> Sequence[bytes]:
        """Every recorded question once, sorted; each is read from the disk when it is looked at."""
        return _Questions(self._index)


class _Questions(Sequence[bytes]):
    def __init__(self, index: CassetteIndex) -> None:
        self._index = index

    def __len__(self) -> int:
        return len(self._index)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | Sequence[bytes]:
        ranks = range(len(self))[at]
        return self._index.key_at(ranks) if isinstance(ranks, int) else [self._index.key_at(one) for one in ranks]


def _answer(row: bytes, key: bytes) -> Answer:
    try:
        return read_row(row, key)
    except ValueError as error:
        raise Damaged(str(error)) from error


@cache
def _code() -> str:
    """What the modules that parse, identify and index are now: an index of older code is not believed."""
    room = Path(__file__).parent
    return digest(
        [digest_bytes(path.read_bytes()) for path in (*sorted(room.glob("*.py")), *room.glob("../canonical.py"))]
    )
