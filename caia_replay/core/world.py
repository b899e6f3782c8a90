"""What a task can see of the web, as attacks and tools know it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.task import Anchor


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the open web. ``published`` is seconds since 1970 UTC; None when it is not known.

    ``first_seen`` is the earliest moment a recording shows the page at; ``author`` and ``language`` (a BCP 47 tag such
    as "en" or "zh") are empty when nothing recorded tells them. ``altered_by`` is the name of the attack that planted
    the page, empty for recorded pages.
    """

    url: str
    title: str
    text: str
    published: int | None
    altered_by: str = ""
    author: str = ""
    language: str = ""
    first_seen: int | None = None

    @property
    def known_since(self) -> int | None:
        """From when on the page can be shown: its date or, undated, when it was first seen; None: never provably."""
        return self.first_seen if self.published is None else self.published


@dataclass(frozen=True, slots=True)
class Post:
    """One post of the social network. ``id`` is decimal digits; ``author`` a handle without its @; ``created`` is
    seconds since 1970 UTC; ``thread`` the id of the conversation's first post and ``reply_to`` of the post answered.
    ``likes``, ``reposts`` and ``replies`` are None where nothing recorded counts them."""

    id: str
    author: str
    text: str
    created: int
    thread: str
    reply_to: str = ""
    language: str = ""
    likes: int | None = None
    reposts: int | None = None
    replies: int | None = None
    altered_by: str = ""

    @property
    def url(self) -> str:
        """Where people find it."""
        return f"https://x.com/{self.author}/status/{self.id}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One search result; ``rank`` starts at 1."""

    rank: int
    page: Page
    snippet: str


@dataclass(frozen=True, slots=True)
class RankedPost:
    """One result of a search among posts; ``rank`` starts at 1."""

    rank: int
    post: Post


class WorldView(Protocol):
    """What an attack may read while it plans: pages, rankings and the moment; nothing it can change."""

    @property
    def anchor(self) -> Anchor: ...

    def pages(self) -> Iterable[Page]:
        """Every recorded page visible at the anchor, sorted by url."""

    def posts(self) -> Iterable[Post]:
        """Every recorded post visible at the anchor, sorted by moment and id."""

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]: ...

    def search_posts(self, query: str, limit: int) -> tuple[RankedPost, ...]: ...
