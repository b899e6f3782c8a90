"""Questions to X API v2 as an agent may ask them, drawn by lot: mostly of what was recorded whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urlencode

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.world import Post
from caia_worldgen.rng import Rng
from caia_worldgen.services.service import Service
from caia_worldgen.services.x_api_body import User
from tests.provider_law import live
from tests.x_network import DAY_S

API = "https://api.x.com/2"
KEY = {"Authorization": "Bearer SCRUBBED"}
FIELDS = ("created_at", "lang", "public_metrics", "entities", "conversation_id", "text", "possibly_sensitive")
USER_FIELDS = ("created_at", "description", "public_metrics", "verified")
EXPANSIONS = {
    "post": ("author_id", "in_reply_to_user_id", "referenced_posts"),
    "tweet": ("author_id", "in_reply_to_user_id", "referenced_tweets.id", "referenced_tweets.id.author_id"),
}


class Asking(Protocol):
    """What questions are drawn from."""

    now: int
    users: list[User]
    posts: list[Post]
    known: list[str]

    @property
    def searches(self) -> Sequence[str]: ...

    @property
    def service(self) -> Service: ...

    def hand_out(self, found: Recorded) -> list[str]: ...


def get(path: str) -> HttpRequest:
    """A GET of the API, with a key."""
    return HttpRequest("GET", f"{API}{path}", headers=KEY)


def iso(moment: int) -> str:
    """``2024-05-01T12:00:00Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def question(court: Asking, rng: Rng) -> HttpRequest:
    """A question as an agent may ask it."""
    kind, whole = rng.number(1, 100), court.users[:8]
    if kind <= 62:
        user = rng.one(whole) if rng.happens(82) else rng.one(court.users[8:])
        listing = "mentions" if rng.happens(14) else "tweets"
        user = rng.one(whole[:3]) if listing == "mentions" and rng.happens(80) else user
        return _list(court, rng, f"/users/{user.id}/{listing}", "tweet" if rng.happens(8) else "post")
    if kind <= 80:
        thing = "tweet" if rng.happens(30) else "post"
        numbers = court.known if rng.happens(93) else [post.id for post in court.posts]
        asked = _shaped(rng, thing)
        if rng.happens(50):
            return _asked(f"/tweets/{rng.one([one for one in numbers if one != '123'])}", asked)
        return _asked("/tweets", {"ids": ",".join(rng.some(numbers, rng.number(1, 5))), **asked})
    if kind <= 96:
        fields = rng.some(USER_FIELDS, rng.number(0, 3))
        asked = {"user.fields": ",".join(fields)} if fields else {}
        named = rng.some(court.users, rng.number(1, 3))
        match rng.number(1, 4):
            case 1:
                name = named[0].handle
                return _asked(f"/users/by/username/{name.upper() if rng.happens(20) else name}", asked)
            case 2:
                return _asked("/users/by", {"usernames": ",".join(one.handle for one in named), **asked})
            case 3:
                return _asked("/users", {"ids": ",".join(one.id for one in named), **asked})
        return _asked(f"/users/{named[0].id}", asked)
    query = rng.one((*court.searches, "vote"))
    return _asked("/tweets/search/recent", {"query": query, **({"max_results": "50"} if rng.happens(30) else {})})


def _list(court: Asking, rng: Rng, path: str, thing: str) -> HttpRequest:
    asked = {**_window(court, rng), **_shaped(rng, thing)}
    if rng.happens(85):
        asked["max_results"] = str(rng.number(5, 100) if rng.happens(40) else rng.number(5, 20))
    if rng.happens(2):
        asked["max_results"] = "4"
    if rng.happens(6) and path.endswith("tweets"):
        asked["exclude"] = "replies"
    for _ in range(rng.number(0, 2) if asked.get("max_results") != "4" else 0):
        page = _asked(path, asked)
        tokens = court.hand_out(Recorded(page, _live(court, page)))
        if tokens:
            asked["pagination_token"] = rng.one(tokens)
    if rng.happens(30) and asked.get("max_results") != "4":
        asked["max_results"] = str(rng.number(5, 30))
    return _asked(path, asked)


def _live(court: Asking, request: HttpRequest) -> HttpReply:
    reply = live(court.service, request, court.now)
    assert reply.status == 200, (request.url, reply.body)
    return reply


def _window(court: Asking, rng: Rng) -> dict[str, str]:
    kind = rng.number(1, 100)
    ends = sorted(court.now - rng.number(0, 45) * DAY_S - rng.number(0, 9_999) for _ in range(2))
    if kind <= 20:
        return {"start_time": iso(ends[0]), "end_time": iso(ends[1] + 1)}
    if kind <= 30:
        return {"start_time": iso(ends[0])} if kind <= 25 else {"end_time": iso(ends[1])}
    some = [post.id for post in court.posts if post.created <= court.now]
    if kind <= 36:
        return {"since_id": rng.one(some)}
    return {"until_id": rng.one(some)} if kind <= 42 else {}


def _shaped(rng: Rng, thing: str) -> dict[str, str]:
    """Fields and expansions; the older words show in one or the other."""
    fields: Sequence[str] = rng.some(FIELDS, rng.number(1 if thing == "tweet" else 0, 5))
    asked = {f"{thing}.fields": ",".join(fields)} if fields else {}
    if rng.happens(50):
        expansions = rng.some(EXPANSIONS[thing], rng.number(1, 3))
        asked["expansions"] = ",".join(expansions)
        if rng.happens(50):
            asked["user.fields"] = ",".join(rng.some(USER_FIELDS, 2))
    return asked


def _asked(path: str, asked: dict[str, str]) -> HttpRequest:
    return get(f"{path}?{urlencode(asked)}" if asked else path)
