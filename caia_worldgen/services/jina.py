"""The page reader in Jina's shape: any page of the synthetic web by its address, once it is known.

    GET /<page url>   Accept: application/json  ->  {"code": 200, "status": 20000, "data": {...}}
                      anything else             ->  the page as plain text with its title, address and date above

A page is known from its date on or, undated, from its ``first_seen`` on; one that has neither is never read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.core.world import Page
from caia_replay.errors import ToolError
from caia_replay.providers.reader.provider import ORIGIN, page_content, page_url
from caia_replay.providers.search_api.provider import host_of
from caia_worldgen.services.service import Answer, Asked

_KEY: Final = "jina_"


class Jina:
    """The reader over ``pages``; pages on the hosts ``blocked`` are refused with 451."""

    origins: Final = (ORIGIN,)

    def __init__(self, pages: Iterable[Page], blocked: Collection[str] = ()) -> None:
        self._pages = {page_url(page.url): page for page in pages}
        self._blocked = frozenset(blocked)

    def answer(self, asked: Asked, now: int) -> Answer:
        """The page as it is known at ``now``."""
        key = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if key and not key.startswith(_KEY):
            return _refusal(401, 40103, "AuthenticationFailedError", "Invalid API key, please get a new one.")
        if asked.method != "GET":
            return _refusal(405, 40500, "MethodNotAllowedError", f"{asked.method} is not supported")
        address = asked.path[1:] + (f"?{asked.query}" if asked.query else "")
        try:
            address = page_url(address)
        except ToolError:
            return _refusal(400, 40001, "ParamValidationError", f"Invalid URL: {address}")
        if host_of(address) in self._blocked:
            words = f"Anonymous access to domain {host_of(address)} is blocked"
            return _refusal(451, 45102, "SecurityCompromiseError", words)
        page = self._pages.get(address)
        if page is None or page.known_since is None or page.known_since > now:
            return _refusal(404, 40400, "NotFoundError", f"Target URL returned error 404: {address}")
        if "json" in asked.headers.get("accept", ""):
            return Answer(200, page_content(page))
        return Answer(200, _plain(page).encode(), {"content-type": "text/plain; charset=utf-8"})

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return _refusal(429, 42903, "RateLimitTriggeredError", "Per IP rate limit exceeded.", {"Retry-After": "60"})


def _plain(page: Page) -> str:
    lines = [f"Title: {page.title}", f"URL Source: {page.url}"]
    if page.published is not None:
        lines.append(f"Published Time: {datetime.fromtimestamp(page.published, UTC).isoformat()}")
    return "\n\n".join([*lines, f"Markdown Content:\n{page.text}"])


def _refusal(code: int, status: int, name: str, message: str, headers: dict[str, str] | None = None) -> Answer:
    content: dict[str, Any] = {"data": None, "code": code, "name": name, "status": status, "message": message}
    return Answer(code, content, headers or {})
