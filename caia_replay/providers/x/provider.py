"""X API v2: timelines and mentions as series, posts and users by number or name, searches as they were recorded.

    https://api.x.com/2/users/{id}/tweets, /mentions; /2/tweets[/{id}]; /2/users[/{id}], /2/users/by[...]; searches

Both hosts (the other is https://api.twitter.com) are one API. What changes from day to day (counts, accounts) is told
of the recording's moment only; a post's words and place in its list are told of every moment from its writing on until
the recording. Lists that a search found are never cut: a replay ranks posts by its own index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.core.provider import AsOfFilter, HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.as_of import listed, mapped, named
from caia_replay.providers.endpoint import (
    AS_OF_NOW_S,
    answered_at,
    content_or_none,
    derived,
    endpoint_of,
    is_of_now,
    reads_from,
    utc,
)
from caia_replay.providers.x.item import (
    FOR_GOOD,
    Item,
    ParsedReply,
    Pool,
    read,
    shows_later,
    was_edited_since,
)
from caia_replay.providers.x.list import pile_of, stretches_of, token_place
from caia_replay.providers.x.request import TOKEN, XRequest, question_of
from caia_replay.providers.x.word import THROUGH, Words

ORIGINS: Final = ("https://api.x.com", "https://api.twitter.com")
LONGEST: Final = 100
_LATER: Final = frozenset({304, 429, *range(500, 600)})
_OF_THE_ASKING: Final = "x-rate-limit-"
_WIDE_FIELDS: Final = (
    "attachments context_annotations conversation_id created_at edit_controls entities geo id lang possibly_sensitive "
    "public_metrics reply_settings text withheld"
)
_WIDE: Final = {
    "post": (_WIDE_FIELDS + " note_post", "author_id in_reply_to_user_id referenced_posts"),
    "tweet": (
        _WIDE_FIELDS + " author_id edit_history_tweet_ids in_reply_to_user_id note_tweet referenced_tweets",
        f"author_id in_reply_to_user_id referenced_tweets.id {THROUGH}",
    ),
}
"""Post fields and expansions that anybody may ask for, in both sets of words."""
_WIDE_USER_FIELDS: Final = (
    "created_at description entities id location name profile_image_url protected public_metrics url username verified "
    "verified_type withheld"
)


class XApiProvider(Provider):
    """The provider. See docs/providers/x.md for what follows from what."""

    name = "x_api"
    authority: Authority = "social"

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads from one of the API's hosts."""
        return reads_from(request, *ORIGINS)

    def family(self, request: HttpRequest) -> str:
        """A user's timeline or mentions, all posts, all users; of anything else its path and parameters."""
        return question_of(request).family

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The whole list in the longest pages, with all fields; the question too where that may not answer it."""
        asked, endpoint = question_of(request), endpoint_of(request)
        if asked.kind == "other":
            return (request,)
        kept = {name: value for name, value in endpoint.parameters.items() if name in ("ids", "usernames")}
        if asked.kind == "search":
            left_out = (TOKEN, "next_token", "media.fields", "poll.fields", "place.fields")
            kept = endpoint.without(*left_out)
        if asked.excluded and asked.is_bounded:
            kept["exclude"] = ",".join(sorted(asked.excluded))
        if asked.kind in ("tweets", "mentions", "search"):
            kept["max_results"] = str(LONGEST)
        wide = _asking(request, {**kept, **_all_fields(asked.words, asked.kind == "users")})
        found = question_of(wide)
        is_within = (
            asked.is_plain
            and asked.fields <= found.fields
            and asked.user_fields <= found.user_fields
            and set(asked.expansions) <= set(found.expansions)
        )
        return (wide,) if is_within or found.is_as(asked) else (wide, request)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The next page of a timeline or of mentions, by the token that the page hands out."""
        if reply.status != 200 or question_of(request).kind not in ("tweets", "mentions"):
            return None
        body = content_or_none(reply)
        meta = body.get("meta") if isinstance(body, dict) else None
        token = meta.get("next_token") if isinstance(meta, dict) else None
        if not isinstance(token, str) or not token:
            return None
        return _asking(request, {**endpoint_of(request).parameters, TOKEN: token})

    def as_of(self, request: HttpRequest) -> AsOfFilter | None:
        """Which account a handle led to, and since when there is one; names, words and counts are of their day.

        A handle that was given up may have become another's since: that account began later and is left out, or an
        older one took it over, which nothing shows. Posts say when they were written, and ``narrow`` cuts by that.
        """
        return _accounts if endpoint_of(request).path in ("/2/users/by", "/2/users") else None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        wanted = f"GET {request.url:.300} at {utc(now)}"
        asked = question_of(request)
        own = [one for one in _questioned(recorded) if one[0].family == asked.family]
        reply = _asked_now(own, asked, now)
        if reply is not None:
            return reply
        missed: Miss | None = None
        tellings = [value for one in own if (value := read(*one)) is not None] if asked.is_plain else []
        for group, is_current in _moments(tellings, now):
            try:
                return _as_recorded(_told_by(group, is_current, asked, now, wanted), own, asked)
            except Miss as miss:
                missed = missed or miss
        # What is refused for its key is handed out where nothing else answers.
        for question, found in own:
            if question.is_as(asked) and found.reply.status == 401:
                return found.reply
        raise missed or Miss("http", wanted, _where(own, now))


def _accounts(content: Any, made: int, now: int) -> dict[str, Any] | None:
    items = [named(row, ("id", "username", "created_at")) for row in listed(mapped(content)["data"])]
    kept = [row for row in items if datetime.fromisoformat(row["created_at"]).timestamp() <= now]
    return {"data": kept} if kept else None


def _asking(request: HttpRequest, parameters: dict[str, str]) -> HttpRequest:
    endpoint = endpoint_of(request)
    query = urlencode(sorted(parameters.items()), safe=",")
    return HttpRequest("GET", f"{endpoint.origin}{endpoint.path}?{query}", headers=request.headers)


def _all_fields(words: Words, of_users: bool) -> dict[str, str]:
    users = {"user.fields": ",".join(_WIDE_USER_FIELDS.split())}
    if of_users:
        return users
    fields, expansions = (",".join(text.split()) for text in _WIDE[words.thing])
    return {**users, words.fields_parameter: fields, "expansions": expansions}


def _questioned(recorded: Sequence[Recorded]) -> Iterator[tuple[XRequest, Recorded]]:
    """Recordings with their questions taken apart, without those that put the asker off or cannot be read."""
    for found in recorded:
        if found.reply.status not in _LATER:
            with suppress(Miss):
                yield question_of(found.request), found


def _asked_now(own: Sequence[tuple[XRequest, Recorded]], asked: XRequest, now: int) -> HttpReply | None:
    """The recording of the very question that is nearest to ``now`` and tells of nothing later."""
    near = []
    for number, (question, found) in enumerate(own):
        made = answered_at(found.reply)
        if made is None or not question.is_as(asked) or not is_of_now(found, now) or found.reply.status == 401:
            continue
        value = read(question, found)
        if found.reply.status != 200 or (value is not None and not shows_later(value, now)):
            near.append((abs(made - now), made > now, number))
    return own[min(near)[-1]][1].reply if near else None


def _moments(tellings: Sequence[ParsedReply], now: int) -> Iterator[tuple[list[ParsedReply], bool]]:
    """What was recorded now, nearest first; then what was recorded later, by stretches of time, earliest first."""
    current = [one for one in tellings if abs(one.made - now) <= AS_OF_NOW_S]
    yield sorted(current, key=lambda one: abs(one.made - now)), True
    later = sorted((one for one in tellings if one.made > now + AS_OF_NOW_S), key=lambda one: one.made)
    while later:
        group = [one for one in later if one.made <= later[0].made + AS_OF_NOW_S]
        later = later[len(group) :]
        yield group, False


def _told_by(group: Sequence[ParsedReply], is_current: bool, asked: XRequest, now: int, wanted: str) -> HttpReply:
    """The answer out of recordings of one moment. Raises ``Miss``."""
    if not group:
        raise Miss("http", wanted, "nothing of it is recorded at this moment")
    if not is_current and (asked.kind == "users" or not asked.fields <= FOR_GOOD):
        raise Miss("http", wanted, f"recorded at {utc(group[0].made)} only: counts and accounts change")
    pool = Pool(asked)
    for entry in group:
        if not was_edited_since(entry, now):
            pool.add(entry, now, is_current)
    like = group[0].recorded.reply
    if asked.kind == "posts":
        return _made(_posts(pool, wanted), like)
    if asked.kind == "users":
        return _made(_users(pool, wanted), like)
    for entry in group:
        if is_current and entry.is_empty and all(one.get("resource_id") == asked.about[0] for one in entry.errors):
            return _made({"errors": list(entry.errors)}, like)
    return _made(_page(pool, group, now, wanted), like)


def _page(pool: Pool, group: Sequence[ParsedReply], now: int, wanted: str) -> dict[str, Any]:
    """A page of a timeline or of mentions."""
    asked = pool.asked
    usable = [
        one
        for one in group
        if one.question.is_bounded
        and one.question.excluded == asked.excluded
        and one.question.fields >= asked.fields | {"created_at"}
        and not was_edited_since(one, now)
    ]
    stretches = stretches_of(usable)
    token = token_place(asked.token, stretches) if asked.token else None
    if asked.token and token is None:
        raise Miss("http", wanted, "the token was handed out by no recorded page")
    posts, meta = pile_of(stretches, asked.window, now).page(asked.size, token, wanted)
    data = {"data": [pool.post(post) for post in posts]} if posts else {}
    return {**data, **pool.around(posts, wanted), "meta": meta}


def _posts(pool: Pool, wanted: str) -> dict[str, Any]:
    asked = pool.asked
    there, missing = _found(asked, pool, {number: pool.posts.get(number) for number in asked.about}, wanted)
    around = pool.around(there, wanted)
    errors = [*missing, *around.pop("errors", ())]
    return _together(asked, [pool.post(post) for post in there], errors) | around


def _users(pool: Pool, wanted: str) -> dict[str, Any]:
    asked, named = pool.asked, pool.users
    if asked.by.startswith("username"):
        named = {str(user.get("username")).lower(): user for user in pool.users.values()}
    there, missing = _found(asked, pool, {name: named.get(name.lower()) for name in asked.about}, wanted)
    return _together(asked, [pool.user(user) for user in there], missing)


def _found(asked: XRequest, pool: Pool, things: dict[str, Item | None], wanted: str) -> tuple[list[Item], list[Item]]:
    """What is there and what is recorded as not there. Raises ``Miss`` for what is neither."""
    missing = {name: pool.missing.get((asked.by, name)) for name, thing in things.items() if thing is None}
    for name, problem in missing.items():
        if problem is None:
            raise Miss("http", wanted, f"{asked.by} {name} is not recorded, or not with these fields at this moment")
    return [one for one in things.values() if one is not None], [one for one in missing.values() if one is not None]


def _together(asked: XRequest, data: list[Any], errors: Sequence[Item]) -> dict[str, Any]:
    fields = {"data": data[0] if asked.by in ("id", "username") else data} if data else {}
    return fields | ({"errors": list(errors)} if errors else {})


def _made(content: dict[str, Any], like: HttpReply) -> HttpReply:
    """A reply of recorded parts. How many calls were left when those were recorded is nothing it can tell."""
    headers = {name: value for name, value in like.headers.items() if not name.startswith(_OF_THE_ASKING)}
    return derived(content, replace(like, headers=headers))


def _as_recorded(reply: HttpReply, own: Sequence[tuple[XRequest, Recorded]], asked: XRequest) -> HttpReply:
    """The recording of the very question where it says just what was found; else what was found."""
    for question, found in own:
        is_of_it = question.is_as(asked) and found.reply.status == 200
        if is_of_it and content_or_none(found.reply) == content_or_none(reply):
            return found.reply
    return reply


def _where(own: Sequence[tuple[XRequest, Recorded]], now: int) -> str:
    """What is recorded nearest, in words."""
    made = [at for _, found in own if (at := answered_at(found.reply)) is not None]
    if not own:
        return "nothing of it is recorded"
    nearest = f"at {utc(min(made, key=lambda at: abs(at - now)))}" if made else "at no known moment"
    return f"{len(own)} recordings of it, the nearest {nearest}"
