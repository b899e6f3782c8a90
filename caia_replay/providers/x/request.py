"""A question to X API v2 taken apart: what it is about, which part of it, and how it wants things told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import endpoint_of
from caia_replay.providers.x.word import ALWAYS_OF_USER, USER_FIELDS, Words, listed, words_of

Kind = Literal["tweets", "mentions", "posts", "users", "search", "other"]

TOKEN: Final = "pagination_token"
WINDOW: Final = ("start_time", "end_time", "since_id", "until_id")
_LISTS: Final = ("expansions", "user.fields", "post.fields", "tweet.fields", "exclude")
_FIELDS: Final = ("user.fields", "post.fields", "tweet.fields", "media.fields", "poll.fields", "place.fields")
_PAGED: Final = {*WINDOW, TOKEN, "max_results"}
_SIZES: Final = range(5, 101)
_MOST_NAMED: Final = 100
_FIRST_DAY_S: Final = int(datetime(2010, 11, 6, tzinfo=UTC).timestamp())
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_HANDLE: Final = re.compile(r"[A-Za-z0-9_]{1,15}")
_SIZE: Final = re.compile(r"[1-9][0-9]{0,2}")


@dataclass(frozen=True, slots=True)
class Window:
    """Which posts of a list: from ``start``, before ``end`` (seconds), with ids above ``since`` and below ``until``."""

    start: int | None = None
    end: int | None = None
    since: int | None = None
    until: int | None = None

    def contains(self, other: Window) -> bool:
        """Whether every post of the other is one of this."""
        lower = ((self.start, other.start), (self.since, other.since))
        upper = ((self.end, other.end), (self.until, other.until))
        return all(mine is None or (its is not None and its >= mine) for mine, its in lower) and all(
            mine is None or (its is not None and its <= mine) for mine, its in upper
        )

    def holds(self, created: int, number: int) -> bool:
        """Whether a post of that moment and id is within."""
        return (
            (self.start is None or created >= self.start)
            and (self.end is None or created < self.end)
            and (self.since is None or number > self.since)
            and (self.until is None or number < self.until)
        )


@dataclass(frozen=True, slots=True)
class XRequest:
    """A request. ``about`` is what follows its kind: a user's number, or the ids or handles asked for by ``by``.

    ``is_plain`` is whether all of it is understood here; of another only recordings of itself are answers.
    ``is_bounded`` is whether what it is about is. ``fields`` are the keys of a post that it asks for or that it gets
    anyway, ``user_fields`` those of a user.
    """

    kind: Kind
    by: str
    about: tuple[str, ...]
    words: Words
    fields: frozenset[str]
    user_fields: frozenset[str]
    expansions: tuple[str, ...]
    window: Window
    excluded: frozenset[str]
    size: int
    token: str
    is_plain: bool
    is_bounded: bool
    identity: tuple[str, tuple[tuple[str, str | frozenset[str]], ...]]

    def is_as(self, other: XRequest) -> bool:
        """Whether the other asks the same, whatever the order of the fields it names."""
        return self.identity == other.identity

    @property
    def family(self) -> str:
        """What a recording must share with it to be able to answer it."""
        match self.kind:
            case "tweets" | "mentions":
                return f"{self.kind} {self.about[0]} {self.words.thing}"
            case "posts" | "users":
                return f"{self.kind} {self.words.thing}"
        path, asked = self.identity
        lines = (f"{name}={value if isinstance(value, str) else ','.join(sorted(value))}" for name, value in asked)
        return f"{path}?{'&'.join(lines)}"


def question_of(request: HttpRequest) -> XRequest:
    """Raises ``Miss`` for an address that cannot be read, or a parameter that is given twice."""
    if any("\ud800" <= letter <= "\udfff" for letter in request.url):
        raise Miss("http", f"{request.method} {request.url!a:.300}", "the address is no text that can be sent")
    endpoint = endpoint_of(request)
    asked, words = endpoint.parameters, words_of(endpoint.parameters)
    kind, by, about, own = _place(endpoint.segments(), asked)
    window, expansions = _window(asked), listed(asked.get("expansions", ""))
    fields = frozenset(listed(asked.get(words.fields_parameter, "")))
    users = frozenset(listed(asked.get("user.fields", "")))
    excluded = frozenset(listed(asked.get("exclude", "")))
    size = asked.get("max_results", "10")
    shaped = () if kind == "users" else (words.fields_parameter, "expansions")
    is_bounded = (
        kind not in ("search", "other")
        and window is not None
        and set(asked) <= {*own, *_FIELDS, "expansions"}
        and excluded <= {"replies", "retweets"}
    )
    is_plain = (
        is_bounded
        and set(asked) <= {*own, *shaped, "user.fields"}
        and all(asked[name] for name in asked)
        and fields <= words.fields
        and users <= USER_FIELDS
        and set(expansions) <= words.shows.keys()
        and bool(_SIZE.fullmatch(size))
        and int(size) in _SIZES
        and _is_about(by, about)
    )
    brought = (words.shows.get(name, frozenset[str]()) for name in expansions)
    named = {name: frozenset(listed(asked[name])) if name in _LISTS else asked[name] for name in sorted(asked)}
    if kind in ("tweets", "mentions"):
        named["max_results"] = size
    return XRequest(
        kind,
        by,
        about,
        words,
        words.always.union(fields, *brought),
        ALWAYS_OF_USER | users,
        expansions,
        window or Window(),
        excluded,
        int(size) if is_plain else 0,
        asked.get(TOKEN, ""),
        is_plain,
        is_bounded,
        ("/" + "/".join(endpoint.segments()), tuple(sorted(named.items()))),
    )


def moment_of(text: object) -> int | None:
    """A moment since 1970 in whole seconds, with its zone; None for anything else, parts of a second among them."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) and "T" in text else None
        if moment is None or moment.tzinfo is None or moment.microsecond or moment.timestamp() < 0:
            return None
        return int(moment.timestamp())
    except (ValueError, OverflowError):
        return None


def is_number(text: str) -> bool:
    """Whether a text is the number of a post or user: 1 to 19 digits."""
    return _NUMBER.fullmatch(text) is not None


def _place(segments: list[str], asked: Mapping[str, str]) -> tuple[Kind, str, tuple[str, ...], set[str]]:
    """What a request is about, by what it names it, and the parameters that are this endpoint's own."""
    match segments:
        case ["2", "users", number, ("tweets" | "mentions") as kind]:
            listing: Kind = "tweets" if kind == "tweets" else "mentions"
            return listing, "id", (number,), {*_PAGED, "exclude"} if kind == "tweets" else set(_PAGED)
        case ["2", "tweets", "search", _]:
            return "search", "", (), set()
        case ["2", "tweets"]:
            return "posts", "ids", listed(asked.get("ids", "")), {"ids"}
        case ["2", "tweets", number]:
            return "posts", "id", (number,), set()
        case ["2", "users", "by", "username", name]:
            return "users", "username", (name,), set()
        case ["2", "users", "by"]:
            return "users", "usernames", listed(asked.get("usernames", "")), {"usernames"}
        case ["2", "users"]:
            return "users", "ids", listed(asked.get("ids", "")), {"ids"}
        case ["2", "users", number] if _NUMBER.fullmatch(number):
            return "users", "id", (number,), set()
    return "other", "", (), set()


def _is_about(by: str, about: tuple[str, ...]) -> bool:
    pattern = _HANDLE if by.startswith("username") else _NUMBER
    return 1 <= len(set(about)) == len(about) <= _MOST_NAMED and all(pattern.fullmatch(name) for name in about)


def _window(asked: Mapping[str, str]) -> Window | None:
    """None where only the vendor can say what is meant: what bounds of both sorts come to, or what is no moment."""
    start, end = (moment_of(asked.get(name)) for name in ("start_time", "end_time"))
    for name, moment in (("start_time", start), ("end_time", end)):
        if name in asked and (moment is None or moment < _FIRST_DAY_S):
            return None
    ids = [asked.get(name) for name in ("since_id", "until_id")]
    if any(text is not None and not _NUMBER.fullmatch(text) for text in ids):
        return None
    since, until = (None if text is None else int(text) for text in ids)
    if (start is not None and since is not None) or (end is not None and until is not None):
        return None
    return None if start is not None and end is not None and start >= end else Window(start, end, since, until)
