"""The web of one world, for all its tasks: its corpus, the overlays over it, and the rankings, each made once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import TypeVar

from caia_replay.cassette.recordings import Recordings
from caia_replay.core.overlay import Overlay
from caia_replay.core.world import Post
from caia_replay.errors import nearest
from caia_replay.providers.reader.provider import page_url
from caia_replay.search.index import PostIndex, SearchIndex
from caia_replay.store.private_cache import kept
from caia_replay.world.corpus import Corpus, read_corpus
from caia_replay.world.overlay import NO_OVERLAY, Applied, apply_overlay

_NEIGHBOURS = 12
I = TypeVar("I", SearchIndex, PostIndex)  # noqa: E741
T = TypeVar("T")


class Web:
    """Shared by runs and threads. ``recordings`` gives what is recorded when it is first asked for, and ``sealed`` the
    digests that stand for all of it, None where it may change. ``folder`` is where rankings are kept for the next
    process, and where that cannot be they are made in memory."""

    def __init__(self, recordings: Callable[[], Recordings], folder: Path, sealed: Sequence[str] | None = None) -> None:
        self._recordings = recordings
        self._sealed = sealed
        self._folder = folder
        self._corpus: Corpus | None = None
        self._by_number: Mapping[str, Post] | None = None
        self._by_address: Sequence[tuple[str, str]] | None = None
        self._applied: dict[Overlay, Applied] = {}
        self._indexes: dict[Overlay, SearchIndex] = {}
        self._post_indexes: dict[Overlay, PostIndex] = {}
        self._lock = RLock()

    @property
    def corpus(self) -> Corpus:
        """What the recordings hold of the web; read once, by the first who asks."""
        with self._lock:
            if self._corpus is None:
                self._corpus = (
                    self._read_corpus() if self._sealed is None else kept(("corpus", *self._sealed), self._read_corpus)
                )
            return self._corpus

    def _read_corpus(self) -> Corpus:
        return read_corpus(self._recordings())

    def first_seen(self, url: str) -> int | None:
        """The earliest moment at which anything recorded shows the page at ``url``; None where nothing says."""
        return self.corpus.first_seen.get(url)

    def post(self, number: str) -> Post | None:
        """A recorded post by its id, whatever its date."""
        return self._posts.get(number)

    def applied(self, overlay: Overlay) -> Applied:
        """An overlay made ready for this world; it is applied whole, whatever task is run. Raises ``BadInput``."""
        with self._lock:
            if overlay not in self._applied:
                pages = {page_url(page.url) for page in self.corpus.pages} if overlay.pages else ()
                posts = self._posts.keys() if overlay.posts else ()
                self._applied[overlay] = apply_overlay(overlay, pages, posts)
            return self._applied[overlay]

    def index(self, overlay: Overlay) -> SearchIndex:
        """The ranking over the corpus and an overlay's pages. Raises as ``applied``."""
        with self._lock:
            planted = self.applied(overlay).pages
            return self._ranked(SearchIndex, self._indexes, self.corpus.pages, planted, overlay)

    def post_index(self, overlay: Overlay) -> PostIndex:
        """The ranking over the posts and an overlay's own. Raises as ``applied``."""
        with self._lock:
            planted = self.applied(overlay).posts
            return self._ranked(PostIndex, self._post_indexes, self.corpus.posts, planted, overlay)

    def near(self, address: str) -> str:
        """A recorded page whose address is much like ``address``, or nothing; only neighbours are compared."""
        at = bisect_left(self._addresses, (_without_scheme(address), ""))
        beside = self._addresses[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]
        return nearest(address[:500], (url for _, url in beside))

    # Under the one lock, not cached_property's own: who holds that and waits for this would wait for ever for whoever
    # holds this and waits for that.
    @property
    def _posts(self) -> Mapping[str, Post]:
        with self._lock:
            if self._by_number is None:
                self._by_number = {post.id: post for post in self.corpus.posts}
            return self._by_number

    @property
    def _addresses(self) -> Sequence[tuple[str, str]]:
        with self._lock:
            if self._by_address is None:
                self._by_address = sorted((_without_scheme(page.url), page.url) for page in self.corpus.pages)
            return self._by_address

    def _ranked(
        self,
        kind: Callable[[Sequence[T], Path | None, I | None], I],
        made: dict[Overlay, I],
        recorded: Sequence[T],
        planted: Mapping[str, T],
        overlay: Overlay,
    ) -> I:
        def ranked(subjects: Sequence[T], base: I | None) -> I:
            try:
                return kind(subjects, self._folder, base)
            except (OSError, ValueError):  # nowhere to write, or what lies there is no index any more
                return kind(subjects, None, base)

        if NO_OVERLAY not in made:
            made[NO_OVERLAY] = ranked(recorded, None)
        if overlay not in made:
            clean = made[NO_OVERLAY]
            base = clean if recorded else None  # among nothing there is no order to keep
            made[overlay] = ranked([*recorded, *planted.values()], base) if planted else clean
        return made[overlay]


def _without_scheme(address: str) -> str:
    return address.partition("://")[2]
