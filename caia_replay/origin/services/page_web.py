"""The synthetic web on loopback: a search API in Serper's shape and a page reader in Jina's.

    POST /search          {"q": ..., "num": ...}      -> searchParameters, organic, credits
    GET  /<page url>      Accept: application/json    -> code, status, data; 404 for a page nobody wrote

The ranking is honest and simple: pages sharing more of the query's words come first, titles count
three times, and ties are broken by address. Nothing is listed or read before it was published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.world import Page, Ranked
from caia_replay.errors import ToolError
from caia_replay.loopback import Receive, Send, read_body, target_of
from caia_replay.providers.reader import ORIGIN as READER
from caia_replay.providers.reader import page_url
from caia_replay.providers.search_api import LONGEST, result_list
from caia_replay.providers.search_api import ORIGIN as SEARCH

_WORD = re.compile(r"\w+")
_TITLE_WEIGHT: Final = 3
_SNIPPET_CHARACTERS: Final = 160


class PageWeb:
    """The ASGI application. ``now`` is the moment it answers at, seconds since 1970 UTC; None is the end of time."""

    origins: Final = (SEARCH, READER)

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = {page.url: page for page in pages}
        self.now: int | None = None

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        body = await read_body(receive) or b""
        status, content = self.answer(scope["method"], target_of(scope), body)
        headers = [(b"content-type", b"application/json; charset=utf-8")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": canonical_bytes(content)})

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and JSON content for a request; ``target`` is the path with its query."""
        if method == "POST" and target == "/search":
            return self._search(body)
        if method == "GET" and len(target) > 1:
            return self._read(target[1:])
        return 404, {"message": f"no {method} {target} here", "statusCode": 404}

    def _search(self, body: bytes) -> tuple[int, dict[str, Any]]:
        try:
            asked = strict_json(body)
            query, limit = asked["q"], asked.get("num", 10)
            if not isinstance(query, str) or not query.strip() or type(limit) is not int:
                raise TypeError("q must be a text and num a whole number")
        except (ValueError, KeyError, TypeError, AttributeError):
            return 400, {"message": "Missing query parameter", "statusCode": 400}
        limit = max(1, min(limit, LONGEST))
        found = [
            Ranked(position, page, " ".join(page.text.split())[:_SNIPPET_CHARACTERS])
            for position, page in enumerate(self._ranked(query)[:limit], start=1)
        ]
        return 200, result_list(query, limit, found)

    def _ranked(self, query: str) -> list[Page]:
        words = set(_words(query))
        scored = []
        for page in self._pages.values():
            score = _TITLE_WEIGHT * len(words & set(_words(page.title))) + len(words & set(_words(page.text)))
            if score and self._is_out(page):
                scored.append((-score, page.url, page))
        return [page for _, _, page in sorted(scored, key=lambda item: item[:2])]

    def _read(self, address: str) -> tuple[int, dict[str, Any]]:
        try:
            page = self._pages.get(page_url(address))
        except ToolError:
            page = None
        if page is None or not self._is_out(page):
            words = f"Target URL returned error 404: {address}"
            return 404, {"data": None, "code": 404, "name": "NotFoundError", "status": 40400, "message": words}
        data = {
            "title": page.title,
            "description": "",
            "url": page.url,
            "content": page.text,
            "usage": {"tokens": len(page.text) // 4},
        }
        if page.published is not None:
            data["publishedTime"] = datetime.fromtimestamp(page.published, UTC).isoformat()
        return 200, {"code": 200, "status": 20000, "data": data}

    def _is_out(self, page: Page) -> bool:
        return self.now is None or page.published is None or page.published <= self.now


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
