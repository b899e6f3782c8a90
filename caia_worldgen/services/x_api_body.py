"""The bodies of X API v2: posts, users, what a post refers to, and what is said of things that are not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.core.world import Post
from caia_replay.providers.x.word import ALWAYS_OF_USER, THROUGH, Words
from caia_worldgen.services.x_api_network import Entities, Network, User

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
