"""A social network as X's API sees it: accounts and posts, who wrote and who is mentioned, at any moment."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from caia_replay.core.world import Post

_HANDLE: Final = re.compile(r"[A-Za-z0-9_]{1,15}")
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_LINK: Final = re.compile(r"https?://[^\s<>\"“”，。]*[^\s<>\"“”，。.,;:!?'()\[\]]")
_HASHTAG: Final = re.compile(r"(?<![\w&/])#(\w*[^\W\d]\w*)")
_CASHTAG: Final = re.compile(r"(?<![\w$])\$([A-Za-z][A-Za-z0-9]{0,14})(?!\w)")
_MENTION: Final = re.compile(r"(?<![\w@/])@([A-Za-z0-9_]{1,15})(?![A-Za-z0-9_@])")


@dataclass(frozen=True, slots=True)
class User:
    """One account. ``handle`` is without its @; ``bio`` its own words; ``created`` is seconds since 1970 UTC."""

    handle: str
    name: str
    bio: str
    created: int
    verified: bool
    followers: int
    following: int

    @property
    def id(self) -> str:
        """Its number as decimal digits, at most 19: the same for a handle in any case, in every world."""
        return str(int.from_bytes(hashlib.sha256(self.handle.lower().encode()).digest()[:8], "big") >> 1)


@dataclass(frozen=True, slots=True)
class Found:
    """A tag, mention or address in a text, from ``start`` to before ``end``, in characters; ``name`` has no sign."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Entities:
    """What stands in a text, in order."""

    hashtags: tuple[Found, ...]
    cashtags: tuple[Found, ...]
    mentions: tuple[Found, ...]
    links: tuple[Found, ...]


def entities_of(text: str) -> Entities:
    """Tags and mentions within an address are part of the address."""
    links = tuple(Found(hit.start(), hit.end(), hit.group()) for hit in _LINK.finditer(text))
    bare = _LINK.sub(lambda hit: " " * len(hit.group()), text)
    tags, cash, mentions = (
        tuple(Found(hit.start(), hit.end(), hit[1]) for hit in pattern.finditer(bare))
        for pattern in (_HASHTAG, _CASHTAG, _MENTION)
    )
    return Entities(tags, cash, mentions, links)


def key_of(post: Post) -> tuple[int, int]:
    """Where a post stands in time; numbers decide between posts of one second."""
    return post.created, int(post.id)


class Network:
    """Accounts and posts. Immutable; raises ``ValueError`` for what cannot be one network."""

    def __init__(self, users: Iterable[User], posts: Iterable[Post]) -> None:
        self._users = {user.handle.lower(): user for user in users}
        self._numbers = {user.id: user for user in self._users.values()}
        told = list(posts)
        for post in told:
            if not _NUMBER.fullmatch(post.id):
                raise ValueError(f"post {post.id!r}: its id is no number of at most 19 digits")
        self._all = sorted(told, key=key_of)
        self._moments = [post.created for post in self._all]
        self._posts = {post.id: post for post in self._all}
        self.entities = {post.id: entities_of(post.text) for post in self._all}
        self._written: dict[str, list[Post]] = {}
        self._mentioning: dict[str, list[Post]] = {}
        for post in self._all:
            self._written.setdefault(post.author.lower(), []).append(post)
            for name in sorted({found.name.lower() for found in self.entities[post.id].mentions}):
                self._mentioning.setdefault(name, []).append(post)
        self._check()

    def _check(self) -> None:
        if len(self._posts) != len(self._all):
            raise ValueError("two posts have one id")
        for user in self._users.values():
            if not _HANDLE.fullmatch(user.handle):
                raise ValueError(f"{user.handle!r} is no handle: 1 to 15 Latin letters, digits and _")
        for post in self._all:
            author = self._users.get(post.author.lower())
            if author is None or author.handle != post.author:
                raise ValueError(f"post {post.id} is by {post.author!r}, who is no user")
            if author.created > post.created:
                raise ValueError(f"post {post.id} is older than its author's account")
            answered = self._posts.get(post.reply_to)
            if answered is not None and answered.created > post.created:
                raise ValueError(f"post {post.id} answers a later one, {post.reply_to}")

    def user(self, handle: str, now: int) -> User | None:
        """The account of a handle in any case, if it was there by ``now``."""
        return _there(self._users.get(handle.lower()), now)

    def user_by_id(self, number: str, now: int) -> User | None:
        """The account of a number, if it was there by ``now``."""
        return _there(self._numbers.get(number), now)

    def author(self, post: Post) -> User:
        """Who wrote a post."""
        return self._users[post.author.lower()]

    def post(self, number: str, now: int) -> Post | None:
        """A post by its id, if it was written by ``now``."""
        found = self._posts.get(number)
        return found if found is not None and found.created <= now else None

    def written_by(self, user: User, now: int) -> list[Post]:
        """Newest first."""
        return _until(self._written.get(user.handle.lower(), []), now)

    def mentioning(self, user: User, now: int) -> list[Post]:
        """The posts whose text names the user, newest first."""
        return _until(self._mentioning.get(user.handle.lower(), []), now)

    def posts(self, since: int, now: int) -> Sequence[Post]:
        """Everybody's posts from ``since`` until ``now``, both included, newest first."""
        end = bisect_right(self._moments, now)
        return self._all[bisect_right(self._moments, since - 1) : end][::-1]


def _there(user: User | None, now: int) -> User | None:
    return user if user is not None and user.created <= now else None


def _until(posts: Sequence[Post], now: int) -> list[Post]:
    return [post for post in reversed(posts) if post.created <= now]
