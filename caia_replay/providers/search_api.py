"""The search API (Serper's shape): what the recorder asks to learn which pages exist.

    POST https://google.serper.dev/search    {"q": ..., "num": ...}
    {"searchParameters": {...}, "organic": [{"title", "link", "snippet", "date", "position"}]}

Replay never serves these replies to an agent: web_search is ranked by the local index over the
recorded pages in every arm, so that arms differ only by the attack.
"""

from __future__ import annotations

from typing import Any

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss

ORIGIN = "https://google.serper.dev"


class SearchApiProvider:
    """A result list is recorded as asked; a shorter list of the same query is its first part."""

    name = "search_api"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the search endpoint."""
        return request.method == "POST" and request.url == ORIGIN + "/search"

    def widen(self, request: HttpRequest) -> HttpRequest:
        """The same query with the longest list the API gives (100)."""
        query = strict_json(request.body)["q"]
        return search_request(query, 100)

    def narrow(self, recording: HttpReply, request: HttpRequest) -> HttpReply:
        """The first ``num`` results. Raises ``Miss`` when the recording is no result list."""
        content = _content(recording)
        asked = strict_json(request.body).get("num", 10)
        short = {**content, "organic": content["organic"][:asked]}
        if "searchParameters" in short:
            short["searchParameters"] = {**short["searchParameters"], "num": asked}
        return HttpReply(recording.status, recording.headers, canonical_bytes(short))


def search_request(query: str, limit: int) -> HttpRequest:
    """The API's request for ``limit`` results."""
    body = canonical_bytes({"q": query, "num": limit})
    return HttpRequest("POST", ORIGIN + "/search", body, {"Content-Type": "application/json"})


def result_links(reply: HttpReply) -> tuple[str, ...]:
    """The addresses a recorded result list names, in rank order. Raises ``Miss`` for another shape."""
    return tuple(item["link"] for item in _content(reply)["organic"])


def _content(reply: HttpReply) -> dict[str, Any]:
    try:
        content: dict[str, Any] = strict_json(reply.body)
        if reply.status == 200 and all(isinstance(item["link"], str) for item in content["organic"]):
            return content
    except (ValueError, KeyError, TypeError):
        pass
    raise Miss("http", "a search result list", f"the recorded reply (status {reply.status}) is none")
