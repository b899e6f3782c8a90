"""The replay index's two faces: pages as a web search answers them, posts as the social network's search does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.ranking import Ranking
from caia_replay.search.snippet import snippet
from caia_replay.search.window import ALWAYS, Window


class SearchIndex(Ranking[Page]):
    """Pages, ranked; ``folder`` and ``base`` as ``Ranking`` has them."""

    def __init__(self, pages: Sequence[Page], folder: Path | None = None, base: SearchIndex | None = None) -> None:
        super().__init__(PAGES, pages, folder, base)

    def search(
        self, query: str, limit: int, visible_until: int | None = None, *, window: Window = ALWAYS, offset: int = 0
    ) -> tuple[Ranked, ...]:
        """At most ``limit`` pages for any text as ``query``, best first, without the first ``offset``; ranks go on.

        ``visible_until`` (seconds since 1970 UTC) leaves out pages dated, or where undated first seen, after it, and
        pages of which neither is known; ``window`` leaves out what is not inside. An empty tuple says that nothing in
        the corpus matches. Never raises for a query, whatever its text; ``ValueError`` for a negative offset.
        """
        pages, words = self.found(query, limit, offset, window & _until(visible_until), in_order=False)
        return tuple(Ranked(rank, page, snippet(page.text, words)) for rank, page in enumerate(pages, offset + 1))


class PostIndex(Ranking[Post]):
    """Posts, ranked; ``folder`` and ``base`` as ``Ranking`` has them."""

    def __init__(self, posts: Sequence[Post], folder: Path | None = None, base: PostIndex | None = None) -> None:
        super().__init__(POSTS, posts, folder, base)

    def search(
        self,
        query: str,
        limit: int,
        visible_until: int | None = None,
        *,
        window: Window = ALWAYS,
        offset: int = 0,
        newest_first: bool = False,
    ) -> tuple[RankedPost, ...]:
        """At most ``limit`` posts, as ``SearchIndex.search`` says.

        Posts that match equally well, and with ``newest_first`` all that match, come newest first. A #tag, @mention or
        $TICKER finds only posts that write it so; the bare word finds both.
        """
        posts, _ = self.found(query, limit, offset, window & _until(visible_until), in_order=newest_first)
        return tuple(RankedPost(rank, post) for rank, post in enumerate(posts, offset + 1))


def _until(moment: int | None) -> Window:
    return ALWAYS if moment is None else Window(before=moment + 1)
