"""The search API (Serper's shape): what the recorder asks to learn which pages exist.

    POST https://google.serper.dev/search    {"q": ..., "num": ...}
    {"searchParameters": {...}, "organic": [{"title", "link", "snippet", "date", "position"}]}

Replay never serves these replies to an agent: web_search is ranked by the local index over the
recorded pages in every arm, so that arms differ only by the attack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Ranked
from caia_replay.errors import Miss

ORIGIN = "https://google.serper.dev"
LONGEST: Final = 100
_DEFAULT: Final = 10
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_JSON: Final = {"Content-Type": "application/json"}


class SearchApiProvider:
    """A result list is recorded as asked; a shorter list of the same query is its first part."""

    name = "search_api"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()
    has_other_sources = False

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the search endpoint."""
        return request.method == "POST" and request.url == ORIGIN + "/search"

    def family(self, request: HttpRequest) -> str:
        """The query, whatever the length of the list."""
        asked = _asked(request)
        return canonical_bytes({name: asked[name] for name in asked if name != "num"}).decode()

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The same query with the longest list the API gives (100)."""
        return (HttpRequest("POST", request.url, canonical_bytes({**_asked(request), "num": LONGEST}), _JSON),)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """A list has no second page here."""
        return None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The first ``num`` results of a list that is long enough. Raises ``Miss`` when none is."""
        wanted = _asked(request).get("num", _DEFAULT)
        for found in recorded:
            content, length = _content(found.reply), _asked(found.request).get("num", _DEFAULT)
            if length == wanted:
                return found.reply
            if length > wanted:
                short = {**content, "organic": content["organic"][:wanted]}
                if isinstance(short.get("searchParameters"), dict):
                    short["searchParameters"] = {**short["searchParameters"], "num": wanted}
                return HttpReply(found.reply.status, found.reply.headers, canonical_bytes(short))
        raise Miss("http", f"{wanted} results for {request.body.decode('utf-8', 'replace'):.200}", "no list that long")


def search_request(query: str, limit: int) -> HttpRequest:
    """The API's request for ``limit`` results."""
    return HttpRequest("POST", ORIGIN + "/search", canonical_bytes({"q": query, "num": limit}), _JSON)


def query_of(request: HttpRequest) -> tuple[str, int]:
    """The query and how many results are asked for. Raises ``Miss`` for a body that is no question."""
    asked = _asked(request)
    return asked["q"], max(1, min(asked.get("num", _DEFAULT), LONGEST))


def result_list(query: str, limit: int, found: Iterable[Ranked]) -> dict[str, Any]:
    """Ranked pages in the API's shape; dates are days in English, as the API has them."""
    organic = [
        {
            "title": result.page.title,
            "link": result.page.url,
            "snippet": result.snippet,
            "date": _day(result.page.published),
            "position": result.rank,
        }
        for result in found
    ]
    parameters = {"q": query, "type": "search", "engine": "google", "num": limit}
    return {"searchParameters": parameters, "organic": organic, "credits": 1}


def result_links(reply: HttpReply) -> tuple[str, ...]:
    """The addresses a recorded result list names, in rank order. Raises ``Miss`` for another shape."""
    return tuple(item["link"] for item in _content(reply)["organic"])


def _day(published: int | None) -> str | None:
    """``Apr 18, 2025``, without the C library: its month names follow the locale."""
    if published is None:
        return None
    day = datetime.fromtimestamp(published, UTC)
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def _asked(request: HttpRequest) -> dict[str, Any]:
    """A request's body. Raises ``Miss`` for one that is no question of this API."""
    try:
        asked: dict[str, Any] = strict_json(request.body)
        number = asked.get("num", _DEFAULT)
        if isinstance(asked["q"], str) and type(number) is int and number > 0:
            return asked
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise Miss("http", f"POST {ORIGIN}/search", 'the body is no question: {"q": ..., "num": ...}')


def _content(reply: HttpReply) -> dict[str, Any]:
    try:
        content: dict[str, Any] = strict_json(reply.body)
        if reply.status == 200 and all(isinstance(item["link"], str) for item in content["organic"]):
            return content
    except (ValueError, KeyError, TypeError):
        pass
    raise Miss("http", "a search result list", f"the recorded reply (status {reply.status}) is none")
