"""Pages and posts as the index reads them: one shape of document, and what differs between the two kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from caia_replay.core.world import Page, Post
from caia_replay.search.query import Operator
from caia_replay.search.text import normalised

T = TypeVar("T")

UNDATED = -(2**62)
"""Stands for no moment: before any, and inside no window."""
LATEST = 2**62
"""The index stores signed 64-bit; moments beyond are held at the ends."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of a page or a post. ``moment`` is seconds since 1970 UTC, None when nothing tells it.

    ``author`` and ``language`` are empty when nothing recorded tells them.
    """

    title: str
    text: str
    url: str
    moment: int | None
    author: str
    language: str

    @property
    def stored_moment(self) -> int:
        """The moment as the index holds it."""
        return UNDATED if self.moment is None else max(UNDATED + 1, min(self.moment, LATEST))


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """One kind of documents: how they are read, and in which order they stand where nothing else decides.

    ``order`` tells any two different documents apart. ``titled`` documents have a title to look into; in ``marked``
    ones #tags, @mentions and $TICKERS are words of their own.
    """

    name: str
    document: Callable[[T], Document]
    order: Callable[[T], tuple[Any, ...]]
    operators: frozenset[Operator]
    titled: bool
    marked: bool


def author_terms(author: str) -> list[str]:
    """What ``from:`` or ``author:`` may say to mean this author: the whole name or one of its words, lower case."""
    name = " ".join(normalised(author).casefold().split()).removeprefix("@")
    return sorted({name, *name.split()} - {""})


def page_document(page: Page) -> Document:
    """A page; its moment is its date or, undated, when it was first seen."""
    return Document(page.title, page.text, page.url, page.known_since, page.author, page.language)


def post_document(post: Post) -> Document:
    """A post, which has no title."""
    return Document("", post.text, post.url, post.created, post.author, post.language)


def page_order(page: Page) -> tuple[Any, ...]:
    """Pages stand in the order of their addresses."""
    moments = tuple(UNDATED if one is None else one for one in (page.known_since, page.published, page.first_seen))
    return page.url, page.title, page.text, *moments, page.author, page.language, page.altered_by


def post_order(post: Post) -> tuple[Any, ...]:
    """Posts stand newest first, and among those of one second the higher id first."""
    number = int(post.id) if post.id.isdecimal() and len(post.id) < 40 else 0
    counted = tuple(-1 if count is None else count for count in (post.likes, post.reposts, post.replies))
    items = (post.author, post.text, post.language, post.thread, post.reply_to, *counted, post.altered_by)
    return -post.created, -number, post.id, *items


_EVERYWHERE = frozenset({Operator.SITE, Operator.AUTHOR, Operator.SINCE, Operator.UNTIL, Operator.LANG})
PAGES = Kind("page", page_document, page_order, _EVERYWHERE, titled=True, marked=False)
POSTS = Kind("post", post_document, post_order, _EVERYWHERE | {Operator.FROM}, titled=False, marked=True)
