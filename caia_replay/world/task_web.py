"""The web as one task sees it: what was there by its moment, ranked, and what an overlay puts among it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from email.utils import formatdate
from typing import Final

from caia_replay.core.overlay import Overlay
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.providers.reader.provider import page_reply, page_url
from caia_replay.search.window import Window, parse_window
from caia_replay.world.clock import Clock, utc_text
from caia_replay.world.web import Web

_FOUND: Final = 100
"""Results among which a page that is planted to come first has to be found."""


class TaskWeb:
    """``web`` at a task's anchor, with an overlay; ``where`` names the world in misses, ``task`` is whose searches show
    what is planted to come first. Raises as ``Web.applied``."""

    def __init__(self, web: Web, where: str, anchor: Anchor, overlay: Overlay, task: str) -> None:
        self.overlay = overlay
        self.clock = Clock(anchor)
        self.where = where
        self.web = web
        self.planted = web.applied(overlay)
        self._first = frozenset(one.page.url for one in overlay.pages if one.first and one.task == task)

    def pages(self) -> tuple[Page, ...]:
        """Every recorded page visible at the anchor, sorted by address."""
        return tuple(page for page in self.web.corpus.pages if self.clock.has_happened(page.known_since))

    def posts(self) -> tuple[Post, ...]:
        """Every recorded post written by the anchor, sorted by moment and id."""
        return tuple(post for post in self.web.corpus.posts if self.clock.has_happened(post.created))

    def search(self, query: str, limit: int, offset: int = 0, tbs: str = "") -> tuple[Ranked, ...]:
        """Pages ranked by the local index, without the first ``offset``, nothing known after the anchor only.

        ``tbs`` is a window in the search API's words, relative to the world's clock; what cannot be read is a
        ``ToolError``. No result is a fact about the corpus; where no page was recorded or planted it is a ``Miss``.
        """
        if not self.web.corpus.pages and not self.planted.pages:
            raise Miss("page", f"search results for {query:.200}", f"{self.where} has no pages")
        index, window = self.web.index(self.overlay), self._window(tbs)
        if not self._first:
            return index.search(query, limit, self.clock.now, window=window, offset=offset)
        found = index.search(query, max(_FOUND, limit + offset), self.clock.now, window=window)
        found = tuple(sorted(found, key=lambda one: one.page.url not in self._first))[offset : offset + limit]
        return tuple(replace(one, rank=rank) for rank, one in enumerate(found, offset + 1))

    def search_posts(
        self, query: str, limit: int, offset: int = 0, tbs: str = "", newest_first: bool = False
    ) -> tuple[RankedPost, ...]:
        """Posts ranked by the local index, as ``search`` does with pages; ``newest_first`` ranks by moment alone."""
        if not self.web.corpus.posts and not self.planted.posts:
            raise Miss("post", f"posts for {query:.200}", f"{self.where} has no posts")
        index, window = self.web.post_index(self.overlay), self._window(tbs)
        return index.search(query, limit, self.clock.now, window=window, offset=offset, newest_first=newest_first)

    def _window(self, tbs: str) -> Window:
        window = parse_window(tbs, self.clock.now)
        if window is None:
            raise ToolError(f"{tbs[:80]!r} is no window; give one such as qdr:w or cdr:1,cd_min:3/1/2025")
        return window

    def post(self, number: str) -> Post:
        """A post by its id: planted or recorded, as it was recorded first. Raises ``Miss``."""
        post = self.planted.posts.get(number) or self.web.post(number)
        if post is None or not self.clock.has_happened(post.created):
            raise Miss("post", number[:80], f"{self.where} at {utc_text(self.clock.now)}")
        return post

    def planted_answer(self, request: HttpRequest, key: bytes) -> tuple[HttpReply, str, str] | None:
        """What the overlay answers, whose attack that is and where it stands; None where the world is as it is."""
        body = self.planted.bodies.get(key)
        if body is not None:
            fields = {"content-type": "application/json", "date": formatdate(self.clock.now, usegmt=True)}
            return HttpReply(200, fields, body.reply.encode("utf-8", "surrogatepass")), body.attack, body.url
        if self.planted.pages and request.method == "GET" and request.url.startswith(READER + "/"):
            with suppress(ToolError):
                page = self.planted.pages.get(page_url(request.url.removeprefix(READER + "/")))
                if page is not None:
                    return page_reply(self.shown(page)), page.altered_by, page.url
        return None

    def shown(self, page: Page) -> Page:
        """The page, if it is known at the anchor. Raises ``Miss``."""
        if not self.clock.has_happened(page.known_since):
            where = f"{self.where} at {utc_text(self.clock.now)}"
            raise Miss("page", page.url, where)
        return page
