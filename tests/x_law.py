"""The law of X's provider: what was recorded is written down as data, and coverage is computed from the posts.

A list is a line of places: a gap, the oldest post, a gap, the next one, and so on until the gap above the newest. Every
recorded page proves a run of places, every question needs some; the provider's code is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpRequest, Provider, Recorded
from caia_replay.core.world import Post
from caia_replay.errors import Miss
from caia_replay.providers.x.provider import XApiProvider
from caia_worldgen.rng import Rng
from caia_worldgen.services.x_api import XApi
from caia_worldgen.services.x_api_body import User
from tests.provider_law import live, recorded, same
from tests.x_network import BEGIN, DAY_S, END, draw_posts, draw_users
from tests.x_question import get, iso, question

_LASTING = (
    "id text created_at lang conversation_id author_id in_reply_to_user_id "
    "edit_history_post_ids edit_history_tweet_ids referenced_posts referenced_tweets"
)
LASTING = frozenset(_LASTING.split())
BRINGS = {"author_id": {"author_id"}, "in_reply_to_user_id": {"in_reply_to_user_id"},
          "referenced_posts": {"referenced_posts"}, "referenced_tweets.id": {"referenced_tweets"},
          "referenced_tweets.id.author_id": {"referenced_tweets", "author_id"}}  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """A question in the test's own words: what it is about, how, and when it was answered."""

    kind: str
    about: tuple[str, ...]
    asked: Mapping[str, str]
    at: int
    by: str = "id"

    @property
    def is_old(self) -> bool:
        """Whether it speaks of tweets."""
        return "tweet.fields" in self.asked or "tweets.id" in self.asked.get("expansions", "")

    @property
    def expansions(self) -> set[str]:
        return set(filter(None, self.asked.get("expansions", "").split(",")))

    @property
    def fields(self) -> set[str]:
        thing = "tweet" if self.is_old else "post"
        asked = set(filter(None, self.asked.get(f"{thing}.fields", "").split(",")))
        return {"id", "text", f"edit_history_{thing}_ids"}.union(asked, *(BRINGS[name] for name in self.expansions))

    @property
    def user_fields(self) -> set[str]:
        return {"id", "name", "username", *filter(None, self.asked.get("user.fields", "").split(","))}


@dataclass
class Court:
    """One network: recordings of some moments, and questions at ``now``."""

    name: str
    now: int = BEGIN + 40 * DAY_S + 1_234
    ended: int = END
    provider: Provider = field(default_factory=XApiProvider)
    taken: list[Taken] = field(default_factory=list)
    tokens: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What a handed-out token means: next or previous, and the id of the post that it goes on from."""
    drawn: int = 0
    inside: int = 0

    def __post_init__(self) -> None:
        self.users = draw_users(self.name)
        self.posts = sorted(draw_posts(self.name, self.users), key=lambda one: (one.created, int(one.id)))
        self.service = XApi(self.users, self.posts)
        self.by_id = {post.id: post for post in self.posts}
        self.by_handle = {user.handle.lower(): user for user in self.users}
        self.by_number = {user.id: user for user in self.users}
        self._families: dict[str, list[Recorded]] = {}
        self._lines: dict[tuple[str, str, bool], list[Post]] = {}
        self._pages: dict[int, Sequence[Post]] = {}
        self.known = [*(one.id for one in self.posts[::12] if one.created <= self.now), "123"]
        self.searches = ("vault -dry", "#defi OR $VLT", '"nobody was told" has:links')
        self._record()

    def _record(self) -> None:
        """The provider's own widening for most users, what strangers recorded for the others."""
        whole, parts = self.users[:8], self.users[8:]
        paths = [f"/users/{user.id}/tweets" for user in (*whole, *parts[-2:])]
        paths += [f"/users/{user.id}/mentions" for user in whole[:3]]
        paths += [f"/users/{user.id}/tweets?tweet.fields=text" for user in whole[:2]]
        paths += [f"/users/{user.id}/tweets?exclude=replies" for user in whole[2:4]]
        for thing in ("post", "tweet"):
            paths += [f"/tweets?ids={','.join(self.known)}&{thing}.fields=lang"]
        paths += [f"/users/by?usernames={','.join(user.handle for user in self.users)}"]
        paths += [f"/users?ids={','.join(user.id for user in self.users[1:])}"]
        paths += [f"/users/by/username/{self.users[-1].handle}"]
        paths += [f"/tweets/search/recent?{urlencode({'query': query})}" for query in self.searches]
        for found in recorded(self.service, self.provider, [get(path) for path in paths], self.now):
            self._keep(found, self.now)
        dated = "post.fields=created_at,lang,text,conversation_id,public_metrics&max_results=7"
        self._chain(f"/users/{parts[0].id}/tweets?{dated}", self.now, (1, 2, 4))
        start, end = iso(self.now - 20 * DAY_S), iso(self.now - 8 * DAY_S)
        self._chain(f"/users/{parts[1].id}/tweets?{dated}&start_time={start}&end_time={end}", self.now, range(1, 9))
        wide = "post.fields=created_at,lang,public_metrics&expansions=author_id,referenced_posts"
        self._chain(f"/users/{parts[2].id}/tweets?{wide}&max_results=100", self.ended, range(1, 9))
        self._chain(f"/users/{parts[3].id}/tweets?{dated}", self.now - 20 * DAY_S, range(1, 9))
        self._chain(f"/users/{parts[0].id}/mentions?max_results=50", self.now, (1, 2))
        middle = self.posts[len(self.posts) // 2]
        self._chain(f"/users/{parts[3].id}/tweets?{dated}&until_id={middle.id}", self.now, (1, 2, 3))
        late = ",".join(one.id for one in self.posts[4::16])[:1_900].rpartition(",")[0]
        self._chain(f"/tweets?ids={late}&post.fields=created_at,conversation_id", self.ended, (1,))

    def _chain(self, path: str, at: int, kept: Iterable[int]) -> None:
        """Page after page; only those of the given numbers are kept."""
        request: HttpRequest | None = get(path)
        for number in range(1, max(kept) + 1):
            if request is None:
                return
            found = Recorded(request, live(self.service, request, at))
            if number in kept:
                self._keep(found, at)
            request = self.provider.follow(found.request, found.reply)

    def _keep(self, found: Recorded, at: int) -> None:
        assert found.reply.status == 200, found
        self._families.setdefault(self.provider.family(found.request), []).append(found)
        self.hand_out(found)
        self.taken.append(self.taken_of(found.request, at))

    def hand_out(self, found: Recorded) -> list[str]:
        """Note what the tokens of a living page mean."""
        meta = strict_json(found.reply.body).get("meta", {})
        if "next_token" in meta:
            self.tokens[meta["next_token"]] = ("next", meta["oldest_id"])
        if "previous_token" in meta:
            self.tokens[meta["previous_token"]] = ("previous", meta["newest_id"])
        return [meta[name] for name in ("next_token", "previous_token") if name in meta]

    def taken_of(self, request: HttpRequest, at: int) -> Taken:
        """A request in the test's own words."""
        parts = urlsplit(request.url)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        match parts.path.split("/")[2:]:
            case ["users", number, kind] if kind in ("tweets", "mentions"):
                return Taken(kind, (number,), asked, at)
            case ["tweets"]:
                return Taken("posts", tuple(asked["ids"].split(",")), asked, at, "ids")
            case ["tweets", number]:
                return Taken("posts", (number,), asked, at)
            case ["users", "by", "username", name]:
                return Taken("users", (name,), asked, at, "username")
            case ["users", "by"]:
                return Taken("users", tuple(asked["usernames"].split(",")), asked, at, "usernames")
            case ["users"]:
                return Taken("users", tuple(asked["ids"].split(",")), asked, at, "ids")
            case ["users", number]:
                return Taken("users", (number,), asked, at)
        return Taken("search", (), asked, at)

    # the law

    def hold(self, draws: int) -> float:
        """Check so many questions, drawn by hypothesis; which part of them was inside."""

        @settings(max_examples=draws, deadline=None, database=None, phases=(Phase.generate,))
        @given(st.integers(0, 2**62))
        def check(number: int) -> None:
            self.check(question(self, Rng(f"law/{number}")))

        check()
        return self.inside / self.drawn

    def check(self, request: HttpRequest) -> None:
        """Inside, the answer is the living one; outside, it is a miss."""
        self.drawn += 1
        family = self._families.get(self.provider.family(request), [])
        if not self.holds(self.taken_of(request, self.now)):
            try:
                told = self.provider.narrow(family, request, self.now)
            except Miss:
                return
            raise AssertionError(f"answered outside of what is recorded: {request.url} {told.body[:300]!r}")
        self.inside += 1
        told, wanted = self.provider.narrow(family, request, self.now), live(self.service, request, self.now)
        assert same(told, wanted), (request.url, told.body[:2000], wanted.body[:2000])
        for found in family:
            if found.request.url == request.url and found.reply == wanted:
                assert told is found.reply, request.url

    # coverage, from the truth

    def holds(self, asked: Taken) -> bool:
        """Whether the recordings hold the answer to a question at ``now``."""
        mine = [one for one in self.taken if one.kind == asked.kind]
        if any(self._meaning(one) == self._meaning(asked) and one.at == self.now for one in mine):
            return True
        if asked.kind == "search" or not 5 <= int(asked.asked.get("max_results", "10")) <= 100:
            return False
        mine = [one for one in mine if one.is_old == asked.is_old]
        if asked.kind in ("tweets", "mentions"):
            mine = [one for one in mine if one.about == asked.about]
        here, later = ([one for one in mine if one.at == at] for at in (self.now, self.ended))
        if self._holds_at(here, asked):
            return True
        return asked.kind != "users" and asked.fields <= LASTING and self._holds_at(later, asked)

    def _holds_at(self, mine: Sequence[Taken], asked: Taken) -> bool:
        if asked.kind == "users":
            return all(self._user_known(mine, asked, name) for name in asked.about)
        if asked.kind == "posts":
            there = [self.by_id[name] for name in asked.about if self._is_there(self.by_id.get(name))]
            absent = [name for name in asked.about if not self._is_there(self.by_id.get(name))]
            posts = self._posts_shown(mine, asked)
            is_known = all(one.id in posts for one in there) and all(
                any(one.at == self.now and one.by == asked.by and name in one.about for one in mine) for name in absent
            )
            return is_known and self._beside_known(mine, asked, there)
        user = self.by_number[asked.about[0]]
        if user.created > self.now:
            return any(one.at == self.now for one in mine)
        return self._page_known(mine, asked) and self._beside_known(mine, asked, self._page(asked, self.now))

    def _is_there(self, post: Post | None) -> bool:
        return post is not None and post.created <= self.now

    def _user_known(self, mine: Sequence[Taken], asked: Taken, name: str) -> bool:
        user = self.by_handle.get(name.lower()) if asked.by.startswith("username") else self.by_number.get(name)
        if user is None or user.created > self.now:
            return any(one.at == self.now and one.by == asked.by and name in one.about for one in mine)
        names = {user.handle.lower(), user.id}
        return any(names & {told.lower() for told in one.about} and one.user_fields >= asked.user_fields
                   for one in mine if one.at == self.now)  # fmt: skip

    def _shown(self, one: Taken) -> Sequence[Post]:
        """The posts a recording is about."""
        if id(one) not in self._pages:
            named = (self.by_id[name] for name in one.about if name in self.by_id)
            is_list = one.kind in ("tweets", "mentions")
            there = [] if is_list else [post for post in named if post.created <= one.at]
            self._pages[id(one)] = self._page(one, one.at) if is_list else there
        return self._pages[id(one)]

    def _beside(self, one: Taken, posts: Iterable[Post]) -> tuple[set[str], set[str], set[str]]:
        """The users, posts and missing posts that expansions lead to."""
        users, others, missing = set[str](), set[str](), set[str]()
        for post in posts:
            answered = self.by_id.get(post.reply_to)
            users |= {post.author} if "author_id" in one.expansions else set()
            users |= {answered.author} if answered and "in_reply_to_user_id" in one.expansions else set()
            if {"referenced_posts", "referenced_tweets.id", "referenced_tweets.id.author_id"} & one.expansions:
                others |= {answered.id} if answered else set()
                missing |= {post.reply_to} if post.reply_to and not answered else set()
            if answered and "referenced_tweets.id.author_id" in one.expansions:
                users.add(answered.author)
        return users, others, missing

    def _posts_shown(self, mine: Sequence[Taken], asked: Taken) -> set[str]:
        shown = set[str]()
        for one in mine:
            if one.fields >= asked.fields and (one.at == self.now or "created_at" in one.fields):
                shown |= {post.id for post in self._shown(one)} | self._beside(one, self._shown(one))[1]
        return {number for number in shown if self._is_there(self.by_id[number])}

    def _beside_known(self, mine: Sequence[Taken], asked: Taken, posts: Sequence[Post]) -> bool:
        users, others, missing = self._beside(asked, posts)
        for one in mine:
            if one.at == self.now:
                told = self._beside(one, self._shown(one))
                users -= told[0] if one.user_fields >= asked.user_fields else set()
                missing -= told[2]
        return not users and not missing and others <= self._posts_shown(mine, asked)

    # a list as a line of places

    def line(self, one: Taken) -> list[Post]:
        """Every post of a list that will ever be, oldest first."""
        key = (one.kind, one.about[0], "replies" in one.asked.get("exclude", ""))
        if key not in self._lines:
            handle = self.by_number[one.about[0]].handle
            mentioned = f"@{handle} ".lower()
            self._lines[key] = [
                post for post in self.posts
                if (post.author == handle if one.kind == "tweets" else mentioned in f"{post.text} ".lower())
                and not (key[2] and post.reply_to)
            ]  # fmt: skip
        return self._lines[key]

    def _list(self, one: Taken, at: int) -> list[Post]:
        """What a question's window leaves of it at a moment, newest first."""
        start, end, since, until = bounds(one.asked)
        return [post for post in reversed(self.line(one)) if start <= post.created < min(end, at + 1)
                and since < int(post.id) < until]  # fmt: skip

    def _split(self, one: Taken, at: int) -> tuple[list[Post], list[Post], list[Post]]:
        """The posts above a page, on it, and below it."""
        whole, size = self._list(one, at), int(one.asked.get("max_results", "10"))
        way, number = self.tokens.get(one.asked.get("pagination_token", ""), ("next", ""))
        first = 0
        if number:
            place = (self.by_id[number].created, int(number))
            first = sum((post.created, int(post.id)) > place for post in whole)
            if way == "next":
                first += any(post.id == number for post in whole)
            else:
                size, first = min(size, first), max(0, first - size)
        return whole[:first], whole[first : first + size], whole[first + size :]

    def _page(self, one: Taken, at: int) -> list[Post]:
        return self._split(one, at)[1]

    def _proven(self, one: Taken) -> range:
        """The places of the line that a recorded page proves."""
        line, (_, page, below) = self.line(one), self._split(one, one.at)
        places = {post.id: 2 * number + 1 for number, post in enumerate(line)}
        low = places[page[-1].id] if below and page else 0
        high = 2 * len(line)
        way, number = self.tokens.get(one.asked.get("pagination_token", ""), ("", ""))
        if way:
            low, high = (low, places[number]) if way == "next" else (places[number], places[page[0].id])
        return range(low, high + 1)

    def _page_known(self, mine: Sequence[Taken], asked: Taken) -> bool:
        excluded = asked.asked.get("exclude", "")
        proven, window = set[int](), bounds(asked.asked)
        for one in mine:
            is_wider = all(theirs <= its for theirs, its in zip(bounds(one.asked)[::2], window[::2])) and all(
                theirs >= its for theirs, its in zip(bounds(one.asked)[1::2], window[1::2])
            )
            fits = one.asked.get("exclude", "") == excluded and one.fields >= asked.fields | {"created_at"}
            if is_wider and fits:
                proven |= set(self._proven(one))
        line, (above, page, below) = self.line(asked), self._split(asked, self.now)
        places = {post.id: 2 * number + 1 for number, post in enumerate(line)}
        bottom = 2 * sum(post.created < window[0] for post in line)
        top = 2 * sum(post.created < min(window[1], self.now + 1) for post in line)
        way, number = self.tokens.get(asked.asked.get("pagination_token", ""), ("", ""))
        if way and not bottom <= places[number] <= top:
            return False
        if way == "previous":
            needed = range(places[number], (places[above[-1].id] if above else top) + 1)
        else:
            start = places[number] if way else top
            needed = range(places[below[0].id] if below else bottom, start + 1)
        is_known = proven.issuperset(needed)
        if page and way == "next" and not any(places[post.id] in proven for post in above):
            is_known = is_known and proven.issuperset(range(places[page[0].id], top + 1))
        if page and way == "previous" and not any(places[post.id] in proven for post in below):
            is_known = is_known and proven.issuperset(range(bottom, places[page[-1].id] + 1))
        return is_known

    def _meaning(self, one: Taken) -> object:
        asked = {name: sorted(value.split(",")) if "fields" in name or name in ("expansions", "exclude") else value
                 for name, value in one.asked.items()}  # fmt: skip
        return one.by, one.about, {"max_results": "10", **asked}


def bounds(asked: Mapping[str, str]) -> tuple[float, float, int, int]:
    """``start_time``, ``end_time``, ``since_id``, ``until_id``; what is not given bounds nothing."""
    start, end = (datetime.fromisoformat(asked[name]).timestamp() if name in asked else None
                  for name in ("start_time", "end_time"))  # fmt: skip
    return (
        float("-inf") if start is None else start,
        float("inf") if end is None else end,
        int(asked.get("since_id", "-1")),
        int(asked.get("until_id", 10**20)),
    )


__all__ = ["Court", "Taken", "User", "bounds"]
