"""What was recorded since a world was opened, and what follows from it: kept up with, never looked at anew.

A recording of a thousand requests asks after each what there is by now. So an exchange that comes or goes is told to
the store, the families and the web, and each changes by that question alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from caia_replay.cassette.answer import Answer, Answers
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import identify
from caia_replay.cassette.recordings import AnswerStore, Recordings
from caia_replay.core.provider import Provider
from caia_replay.world.corpus import Corpus, read_corpus
from caia_replay.world.coverage_key import Families, family_of
from caia_replay.world.web import Web

NAME: Final = "what is being recorded"
_NOTHING: Final = Corpus((), (), {}, ())
T = TypeVar("T", bytes, tuple[str, str])


class LiveExchanges:
    """Exchanges by question, in the order in which they came. For one thread."""

    def __init__(self) -> None:
        self._answers: dict[bytes, Answers] = {}
        self._listeners: list[Callable[[bytes], None]] = []

    def listen(self, listener: Callable[[bytes], None]) -> None:
        """From now on ``listener`` is told each question whose answers have changed."""
        self._listeners.append(listener)

    def answers(self, key: bytes) -> Answers | None:
        """What one question was answered, or None."""
        return self._answers.get(key)

    def questions(self) -> Sequence[bytes]:
        """Every question once, sorted."""
        return sorted(self._answers)

    def add(self, item: Interaction) -> None:
        """Keep one exchange, after those with the same question."""
        key, ids = identify(item.method, item.uri, item.request_body)
        before = self._answers.get(key)
        self._answers[key] = Answers([*(before.every if before else ()), Answer.of(item, ids)])
        self._tell(key)

    def drop(self, key: bytes) -> None:
        """Forget what a question was answered."""
        if self._answers.pop(key, None) is not None:
            self._tell(key)

    def _tell(self, key: bytes) -> None:
        for listener in self._listeners:
            listener(key)


class LiveStore:
    """An ``AnswerStore``: what was made wins a whole question, ``rest`` has the others and does not change."""

    def __init__(self, made: LiveExchanges, rest: AnswerStore) -> None:
        self._made = made
        self._rest = rest
        added = [key for key in made.questions() if rest.answers(key) is None]
        self._sorted = sorted([*rest.questions(), *added])
        made.listen(self._note)

    def answers(self, key: bytes) -> Answers | None:
        """The answers to one question, or None when it was never recorded."""
        found = self._made.answers(key)
        return self._rest.answers(key) if found is None else found

    def questions(self) -> Sequence[bytes]:
        """Every recorded question once, sorted; the same list, as it grows."""
        return self._sorted

    def _note(self, key: bytes) -> None:
        _keep(self._sorted, key, self.answers(key) is not None)


class LiveFamilies(Families):
    """Of all questions of ``store`` by now."""

    def __init__(self, made: LiveExchanges, store: AnswerStore, providers: Sequence[Provider]) -> None:
        super().__init__(store.questions(), providers)
        self._store = store
        self._providers = providers
        made.listen(self._note)

    def _note(self, key: bytes) -> None:
        found = family_of(key, self._providers)
        if found is not None:
            _keep(self._members.setdefault(found, []), key, self._store.answers(key) is not None)


class LiveWebIndex(Web):
    """Of all questions of ``store`` by now. Since when a page is there, and which are near an address, is kept up with;
    a ranking is made anew by the first who asks for it after a page has come."""

    def __init__(self, made: LiveExchanges, store: AnswerStore, folder: Path) -> None:
        super().__init__(lambda: Recordings.over(store, (NAME,)), folder)
        self._store = store
        self._shown: dict[bytes, Corpus] | None = None
        self._since: dict[str, dict[bytes, int]] = {}
        self._shows: dict[str, set[bytes]] = {}
        self._sorted: list[tuple[str, str]] = []
        made.listen(self._note)

    def first_seen(self, url: str) -> int | None:
        """The earliest moment at which anything recorded shows the page at ``url``; None where nothing says."""
        self._read()
        return min(self._since.get(url, {}).values(), default=None)

    @property
    def _addresses(self) -> list[tuple[str, str]]:
        self._read()
        return self._sorted

    def _read(self) -> None:
        """Look at every question, once."""
        if self._shown is None:
            self._shown = {}
            for key in self._store.questions():
                self._show(self._shown, key)

    def _note(self, key: bytes) -> None:
        shown = self._shown
        if shown is not None:
            was_web = key in shown
            self._hide(shown, key)
            self._show(shown, key)
            if not was_web and key not in shown:
                return
        self._corpus = None
        self._applied.clear()
        self._indexes.clear()
        self._post_indexes.clear()
        self._by_number = None

    def _show(self, shown: dict[bytes, Corpus], key: bytes) -> None:
        corpus = read_corpus(Recordings.over(_One(self._store, key), (NAME,)))
        if corpus == _NOTHING:
            return
        shown[key] = corpus
        for url, moment in corpus.first_seen.items():
            self._since.setdefault(url, {})[key] = moment
        for page in corpus.pages:
            self._shows.setdefault(page.url, set()).add(key)
            _keep(self._sorted, by_address(page.url), True)

    def _hide(self, shown: dict[bytes, Corpus], key: bytes) -> None:
        corpus = shown.pop(key, _NOTHING)
        for url in corpus.first_seen:
            del self._since[url][key]
        for page in corpus.pages:
            self._shows[page.url].discard(key)
            _keep(self._sorted, by_address(page.url), bool(self._shows[page.url]))


@dataclass(frozen=True, slots=True)
class _One:
    """One question of a store."""

    store: AnswerStore
    key: bytes

    def answers(self, key: bytes) -> Answers | None:
        return self.store.answers(key) if key == self.key else None

    def questions(self) -> Sequence[bytes]:
        return (self.key,) if self.store.answers(self.key) is not None else ()


def by_address(url: str) -> tuple[str, str]:
    """How pages are sorted for ``Web.near``."""
    return url.partition("://")[2], url


def _keep(items: list[T], item: T, is_there: bool) -> None:
    """See to it that a sorted list holds ``item`` once, or not at all."""
    at = bisect_left(items, item)
    holds = at < len(items) and items[at] == item
    if is_there and not holds:
        items.insert(at, item)
    elif holds and not is_there:
        del items[at]
