"""The bodies of X API v2: posts, users, what a post refers to, and what is said of things that are not there."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.core.world import Post
from caia_replay.providers.x.word import ALWAYS_OF_USER, THROUGH, Words

PROBLEMS: Final = "https://api.x.com/2/problems"


def iso(moment: int) -> str:
    """``2024-05-01T12:00:00.000Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def not_found(thing: str, parameter: str, value: str) -> dict[str, Any]:
    """What is said of a post or user that is not there, beside what is."""
    return {
        "title": "Not Found Error",
        "detail": f"Could not find {thing} with {parameter}: [{value}].",
        "type": f"{PROBLEMS}/resource-not-found",
        "resource_type": thing,
        "resource_id": value,
        "parameter": parameter,
        "value": value,
    }


@dataclass(frozen=True, slots=True)
class Shape:
    """In which words, and with which fields, things are told at a moment."""

    network: Network
    words: Words
    fields: frozenset[str]
    user_fields: frozenset[str]
    expansions: tuple[str, ...]
    now: int

    def post(self, post: Post) -> dict[str, Any]:
        """A post with the fields that were asked for, those it always has, and those its expansions bring along."""
        brought = (self.words.shows.get(name, frozenset[str]()) for name in self.expansions)
        wanted = self.words.always.union(self.fields, *brought)
        told = ((name, tell(post)) for name, tell in self._fields().items() if name in wanted)
        return {name: value for name, value in told if value is not None}

    def user(self, user: User) -> dict[str, Any]:
        """An account with the fields that were asked for and those it always has."""
        wanted = ALWAYS_OF_USER | self.user_fields
        known = {
            "id": user.id,
            "name": user.name,
            "username": user.handle,
            "created_at": iso(user.created),
            "description": user.bio,
            "protected": False,
            "verified": user.verified,
            "verified_type": "blue" if user.verified else "none",
            "public_metrics": {
                "followers_count": user.followers,
                "following_count": user.following,
                "listed_count": 0,
                self.words.written: len(self.network.written_by(user, self.now)),
            },
        }
        return {name: value for name, value in known.items() if name in wanted}

    def around(self, posts: Iterable[Post]) -> dict[str, Any]:
        """``includes`` and ``errors`` beside these posts: everything once, in the order in which it is referred to."""
        users: dict[str, User] = {}
        others: dict[str, Post] = {}
        errors: dict[str, Any] = {}
        for post in posts:
            answered = self.network.post(post.reply_to, self.now)
            if "author_id" in self.expansions:
                users[post.author] = self.network.author(post)
            if "in_reply_to_user_id" in self.expansions and answered is not None:
                users[answered.author] = self.network.author(answered)
            if self.words.to_referenced in self.expansions or THROUGH in self.expansions:
                if answered is not None:
                    others[answered.id] = answered
                elif post.reply_to:
                    parameter = self.words.to_referenced
                    errors[post.reply_to] = not_found(self.words.thing, parameter, post.reply_to)
            if THROUGH in self.expansions and answered is not None:
                users[answered.author] = self.network.author(answered)
        includes: dict[str, Any] = {}
        if users:
            includes["users"] = [self.user(user) for user in users.values()]
        if others:
            includes[self.words.included] = [self.post(post) for post in others.values()]
        told = {"includes": includes, "errors": list(errors.values())}
        return {name: value for name, value in told.items() if value}

    def _fields(self) -> Mapping[str, Callable[[Post], Any]]:
        """How each field is told; None where a post has nothing of it."""
        return {
            "id": lambda post: post.id,
            "text": lambda post: post.text,
            self.words.history: lambda post: [post.id],
            "author_id": lambda post: self.network.author(post).id,
            "conversation_id": lambda post: post.thread,
            "created_at": lambda post: iso(post.created),
            "entities": lambda post: self._entities(self.network.entities[post.id]) or None,
            "in_reply_to_user_id": self._answered_user,
            "lang": lambda post: post.language or "und",
            "possibly_sensitive": lambda post: False,
            "public_metrics": self._metrics,
            self.words.referenced: lambda post: (
                [{"type": "replied_to", "id": post.reply_to}] if post.reply_to else None
            ),
            "reply_settings": lambda post: "everyone",
        }

    def _answered_user(self, post: Post) -> str | None:
        answered = self.network.post(post.reply_to, self.now)
        return None if answered is None else self.network.author(answered).id

    def _metrics(self, post: Post) -> dict[str, int]:
        return {
            self.words.reposts: post.reposts or 0,  # what no writer counted did not happen here
            "reply_count": post.replies or 0,
            "like_count": post.likes or 0,
            "quote_count": 0,
            "bookmark_count": 0,
            "impression_count": 0,
        }

    def _entities(self, found: Entities) -> dict[str, Any]:
        mentions = []
        for one in found.mentions:
            user = self.network.user(one.name, self.now)
            known = {} if user is None else {"id": user.id}
            mentions.append({"start": one.start, "end": one.end, "username": one.name, **known})
        told = {
            "hashtags": [{"start": one.start, "end": one.end, "tag": one.name} for one in found.hashtags],
            "cashtags": [{"start": one.start, "end": one.end, "tag": one.name} for one in found.cashtags],
            "mentions": mentions,
            "urls": [
                {"start": one.start, "end": one.end, "url": one.name, "expanded_url": one.name,
                 "display_url": one.name.partition("://")[2]}
                for one in found.links
            ],
        }  # fmt: skip
        return {name: value for name, value in told.items() if value}


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
