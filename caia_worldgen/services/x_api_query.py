"""The search language: a query read into a test of posts. All terms must match; nothing is ranked here.

    words "a phrase" -word #tag $TICKER @mention from: to: lang: is:reply has:links conversation_id: OR ( )

AND binds closer than OR, as the vendor's does. Words are whole words in any case; in scripts that put no spaces between
words, any part of a text is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from caia_replay.core.world import Post
from caia_worldgen.services.x_api_list import Fault
from caia_worldgen.services.x_api_network import Network

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
