"""The search language: a query read into a test of posts. All terms must match; nothing is ranked here.

    words "a phrase" -word #tag $TICKER @mention from: to: lang: is:reply has:links conversation_id: OR ( )

AND binds closer than OR, as the vendor's does. Words are whole words in any case; in scripts that put no spaces between
words, any part of a text is one.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.core.world import Post
from caia_worldgen.services.x_api_body import Network, iso, key_of

FIRST_DAY_S: Final = int(datetime(2010, 11, 6, tzinfo=UTC).timestamp())
"""Nobody may ask about what was before."""
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_STEPS_S: Final = {"minute": 60, "hour": 3_600, "day": 86_400}
_ON_WARD: Final = 0
_BACK: Final = 1


class Fault(Exception):
    """A parameter that is wrong: its name, what was given, and why that will not do."""

    def __init__(self, parameter: str, value: str, why: str) -> None:
        super().__init__(why)
        self.parameter = parameter
        self.value = value
        self.why = why


@dataclass(frozen=True, slots=True)
class Window:
    """Which posts of a list: from ``start``, before ``end`` (seconds), with ids above ``since`` and below ``until``."""

    start: int | None
    end: int | None
    since: int | None
    until: int | None

    def holds(self, post: Post) -> bool:
        """Whether a post is within."""
        number = int(post.id)
        return (
            (self.start is None or post.created >= self.start)
            and (self.end is None or post.created < self.end)
            and (self.since is None or number > self.since)
            and (self.until is None or number < self.until)
        )


def window_of(asked: Mapping[str, str]) -> Window:
    """``start_time``, ``end_time``, ``since_id`` and ``until_id``. Raises ``Fault``."""
    start, end = (_moment(asked, name) for name in ("start_time", "end_time"))
    since, until = (number(asked, name) for name in ("since_id", "until_id"))
    if start is not None and end is not None and start >= end:
        raise Fault("start_time", asked["start_time"], "must be before 'end_time'")
    return Window(start, end, since, until)


def number(asked: Mapping[str, str], name: str) -> int | None:
    """A post's or user's number among the parameters. Raises ``Fault``."""
    if name not in asked:
        return None
    if not _NUMBER.fullmatch(asked[name]):
        raise Fault(name, asked[name], "is not a number of 1 to 19 digits")
    return int(asked[name])


def size_of(asked: Mapping[str, str], least: int, most: int) -> int:
    """``max_results``, 10 where it is not given. Raises ``Fault``."""
    text = asked.get("max_results", "10")
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise Fault("max_results", text, f"is not between {least} and {most}")
    return int(text)


def page_of(posts: Sequence[Post], size: int, token: str | None) -> tuple[Sequence[Post], dict[str, Any]]:
    """A page of a list that is newest first, and its ``meta``. Raises ``Fault`` for a token nobody hands out."""
    start = 0
    if token is not None:
        back, *place = _place(token)
        newer = sum(key_of(post) > tuple(place) for post in posts)
        start = max(0, newer - size) if back else sum(key_of(post) >= tuple(place) for post in posts)
        size = min(size, newer - start) if back else size
    page = posts[start : start + size]
    if not page:
        return page, {"result_count": 0}
    meta = {"result_count": len(page), "newest_id": page[0].id, "oldest_id": page[-1].id}
    if start + len(page) < len(posts):
        meta["next_token"] = _token(_ON_WARD, page[-1])
    if start > 0:
        meta["previous_token"] = _token(_BACK, page[0])
    return page, meta


def counted(posts: Sequence[Post], start: int, end: int, granularity: str) -> list[dict[str, Any]]:
    """How many posts fall into each stretch of the clock from ``start`` until before ``end``, oldest first.

    ``granularity`` is minute, hour or day; raises ``Fault`` for another. First and last stretch may be cut.
    """
    if granularity not in _STEPS_S:
        raise Fault("granularity", granularity, f"is not one of {', '.join(_STEPS_S)}")
    step, counts = _STEPS_S[granularity], dict[int, int]()
    for post in posts:
        counts[post.created // step] = counts.get(post.created // step, 0) + 1
    return [
        {"start": iso(max(start, slot * step)), "end": iso(min(end, (slot + 1) * step)),
         "post_count": counts.get(slot, 0)}
        for slot in _slots(start, end, step)
    ]  # fmt: skip


def _slots(start: int, end: int, step: int) -> Iterator[int]:
    yield from range(start // step, -(-end // step))


def _moment(asked: Mapping[str, str], name: str) -> int | None:
    if name not in asked:
        return None
    try:
        moment = datetime.fromisoformat(asked[name])
        if moment.tzinfo is None or "T" not in asked[name] or moment.microsecond:
            raise ValueError
        if moment.timestamp() < FIRST_DAY_S:
            raise Fault(name, asked[name], f"must be on or after [{iso(FIRST_DAY_S)}]")
        return int(moment.timestamp())
    except (ValueError, OverflowError):
        raise Fault(name, asked[name], "is not a whole second as in 2024-05-01T12:00:00Z") from None


def _token(direction: int, post: Post) -> str:
    raw = bytes([direction]) + post.created.to_bytes(6, "big") + int(post.id).to_bytes(8, "big")
    return base64.b32hexencode(raw).decode().lower()


def _place(token: str) -> tuple[int, int, int]:
    try:
        raw = base64.b32hexdecode(token.upper())
        if len(raw) == 15 and raw[0] in (_ON_WARD, _BACK) and token == token.lower():
            return raw[0], int.from_bytes(raw[1:7], "big"), int.from_bytes(raw[7:], "big")
    except (binascii.Error, ValueError):
        pass
    raise Fault("pagination_token", token, "is not a token that was handed out")


LONGEST: Final = 4_096
DEEPEST: Final = 50
_TOKEN: Final = re.compile(r'\s*(-?\(|\)|-?"[^"]*"|[^\s()"]+)')
_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HAS: Final = ("links", "hashtags", "cashtags", "mentions")
_OPERATORS: Final = ("from", "to", "lang", "conversation_id", "is", "has")
_NEVER: Final = ("retweet", "repost", "quote")

Test = Callable[[Post], bool]


def query_test(query: str, network: Network, now: int) -> Test:
    """The test a query stands for, over the network as of ``now``. Raises ``Fault``."""
    if not query.strip() or len(query) > LONGEST:
        raise Fault("query", query[:100], f"must have from 1 to {LONGEST} characters")
    tokens, at = [], 0
    while query[at:].strip():
        hit = _TOKEN.match(query, at)
        if hit is None:
            raise Fault("query", query, f"cannot be read from position {at + 1} on")
        tokens.append(hit[1])
        at = hit.end()
    reading = _Reading(query, tokens, _Terms(network, now))
    test = reading.either(0)
    if reading.at != len(tokens):
        raise Fault("query", query, "closes a parenthesis that was never opened")
    return test


@dataclass(slots=True)
class _Reading:
    query: str
    tokens: list[str]
    terms: _Terms
    at: int = 0

    def either(self, depth: int) -> Test:
        """Alternatives, until a closing parenthesis or the end."""
        if depth > DEEPEST:
            raise Fault("query", self.query, f"is nested more than {DEEPEST} deep")
        options = [self._all(depth)]
        while self.at < len(self.tokens) and self.tokens[self.at] == "OR":
            self.at += 1
            options.append(self._all(depth))
        return options[0] if len(options) == 1 else lambda post: any(test(post) for test in options)

    def _all(self, depth: int) -> Test:
        tests: list[Test] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in (")", "OR"):
            token = self.tokens[self.at]
            self.at += 1
            if token in ("(", "-("):
                tests.append(_not(self._group(depth)) if token == "-(" else self._group(depth))
            elif token == "AND":
                continue
            else:
                bare = token[1:] if token.startswith("-") and len(token) > 1 else token
                test = self.terms.test(bare, self.query)
                tests.append(_not(test) if bare != token else test)
        if not tests:
            raise Fault("query", self.query, "has an empty alternative or group")
        return lambda post: all(test(post) for test in tests)

    def _group(self, depth: int) -> Test:
        test = self.either(depth + 1)
        if self.at >= len(self.tokens) or self.tokens[self.at] != ")":
            raise Fault("query", self.query, "opens a parenthesis that is never closed")
        self.at += 1
        return test


@dataclass(frozen=True, slots=True)
class _Terms:
    network: Network
    now: int

    def test(self, term: str, query: str) -> Test:
        """One term without its minus."""
        if term.startswith('"'):
            return self._words(term.strip('"'), query)
        if term[0] in "#$@" and len(term) > 1:
            kind = {"#": "hashtags", "$": "cashtags", "@": "mentions"}[term[0]]
            return lambda post: term[1:].lower() in self._names(post, kind)
        name, sign, value = term.partition(":")
        if sign and (value or name in _OPERATORS) and name.isascii() and name.replace("_", "").isalpha():
            return self._operator(name.lower(), value.strip('"').lower(), term, query)
        return self._words(term, query)

    def _operator(self, name: str, value: str, term: str, query: str) -> Test:
        handle = value.removeprefix("@")
        match name if value else "":
            case "from":
                return lambda post: handle in (post.author.lower(), self.network.author(post).id)
            case "to":
                return lambda post: self._is_to(post, handle)
            case "lang":
                return lambda post: (post.language or "und").lower() == value
            case "conversation_id":
                return lambda post: post.thread == value
            case "is" if value == "reply":
                return lambda post: bool(post.reply_to)
            case "is" if value in _NEVER:
                return lambda post: False
            case "has" if value in _HAS:
                return lambda post: bool(self._names(post, value))
        raise Fault("query", query, f"has the operator {term!r}, which is not known here")

    def _is_to(self, post: Post, handle: str) -> bool:
        answered = self.network.post(post.reply_to, self.now)
        return answered is not None and handle in (answered.author.lower(), self.network.author(answered).id)

    def _names(self, post: Post, kind: str) -> frozenset[str]:
        return frozenset(found.name.lower() for found in getattr(self.network.entities[post.id], kind))

    def _words(self, text: str, query: str) -> Test:
        wanted = _WORD.findall(text.lower())
        if not wanted:
            raise Fault("query", query, f"has a term without a letter: {text!r}")
        if _UNSPACED.search(text):
            return lambda post: text.lower() in post.text.lower()
        run = f" {' '.join(wanted)} "
        return lambda post: run in f" {' '.join(_WORD.findall(post.text.lower()))} "


def _not(test: Test) -> Test:
    return lambda post: not test(post)
