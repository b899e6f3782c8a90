"""The search API in Serper's shape over the synthetic web.

    POST /search   {"q", "num", "page", "gl", "hl", "tbs"}  ->  {"searchParameters", "organic", "credits"}
    POST /news     the same                                 ->  {"searchParameters", "news", "credits"}

The ranking is honest and simple: pages sharing more of the query's words come first, titles count three times, and ties
are broken by address. A page is listed from its date on or, undated, from its ``first_seen`` on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from caia_replay.core.provider import HttpRequest
from caia_replay.core.world import Page, Ranked
from caia_replay.errors import Miss
from caia_replay.providers.search_api.provider import ORIGIN, SearchRequest, host_of, question_of, result_list
from caia_replay.search.window import parse_window
from caia_worldgen.services.service import Answer, Asked

_WORD = re.compile(r"\w+")
_KEY = re.compile(r"[0-9a-f]{40}")
_TITLE_WEIGHT: Final = 3
_SNIPPET_CHARACTERS: Final = 160


class Serper:
    """The search API over ``pages``.

    ``outlets`` names the sources of news by host (without www.); /news lists their pages alone. ``tells_age`` False
    gives days where the vendor says how long ago a page appeared.
    """

    origins: Final = (ORIGIN,)

    def __init__(self, pages: Iterable[Page], outlets: Mapping[str, str] | None = None, tells_age: bool = True) -> None:
        self._pages = sorted(pages, key=lambda page: page.url)
        self._outlets = dict(outlets or {})
        self._tells_age = tells_age
        self._weights: dict[str, Counter[int]] = defaultdict(Counter)
        for at, page in enumerate(self._pages):
            for weight, text in ((_TITLE_WEIGHT, page.title), (1, page.text)):
                for word in set(_words(text)):
                    self._weights[word][at] += weight

    def answer(self, asked: Asked, now: int) -> Answer:
        """The result list at ``now``."""
        if asked.method != "POST" or asked.path not in ("/search", "/news"):
            return _refusal(404, f"Cannot {asked.method} {asked.path}")
        key = asked.headers.get("x-api-key")
        if key is not None and not _KEY.fullmatch(key):
            return _refusal(403, "Unauthorized.")
        try:
            question = question_of(HttpRequest("POST", ORIGIN + asked.path, asked.body))
        except Miss:
            return _refusal(400, "Missing query parameter")
        if not question.query.strip():
            return _refusal(400, "Missing query parameter")
        start = question.offset
        found = [
            Ranked(position, page, " ".join(page.text.split())[:_SNIPPET_CHARACTERS])
            for position, page in enumerate(self._ranked(question, now)[start : start + question.limit], start + 1)
        ]
        return Answer(200, result_list(question, found, now if self._tells_age else None, self._outlets))

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return _refusal(429, "Too many requests", {"Retry-After": "1"})

    def _ranked(self, asked: SearchRequest, now: int) -> list[Page]:
        window = parse_window(asked.tbs, now)
        scores: Counter[int] = Counter()
        for word in set(_words(asked.query)):
            scores.update(self._weights.get(word, {}))
        best = sorted(scores, key=lambda at: (-scores[at], at))
        pages = (self._pages[at] for at in best)
        listed = [page for page in pages if page.known_since is not None and page.known_since <= now]
        if asked.kind == "news":
            listed = [page for page in listed if host_of(page.url) in self._outlets]
        # A window that cannot be read leaves nothing out, as with the vendor.
        return listed if window is None else [page for page in listed if window.holds(page.known_since)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    content: dict[str, Any] = {"message": message, "statusCode": status}
    return Answer(status, content, headers or {})
