"""The search API (Serper's shape): what the recorder asks to learn which pages exist.

    POST https://google.serper.dev/search    {"q": ..., "num": ..., "page": ..., "gl", "hl", "tbs": "qdr:d"}
    {"searchParameters": {...}, "organic": [{"title", "link", "snippet", "date", "position"}]}
    POST https://google.serper.dev/news      the same question; its "news" have a "source" too

Replay never serves these replies to an agent: web_search is ranked by the local index over the
recorded pages in every arm, so that arms differ only by the attack. What they do tell is when a page was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Ranked
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at
from caia_replay.search.window import ago_text

ORIGIN = "https://google.serper.dev"
LONGEST: Final = 100
DEFAULT: Final = 10
_JSON: Final = {"Content-Type": "application/json"}
_LISTS: Final = {"search": "organic", "news": "news"}
_ECHOED: Final = ("gl", "hl", "location", "tbs")

Kind = Literal["search", "news"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a request asks: ``limit`` results (1 to 100) of the query's ``page`` (from 1) within the window ``tbs``.

    ``echoed`` are further parameters that the API repeats in its answer.
    """

    query: str
    limit: int = DEFAULT
    page: int = 1
    tbs: str = ""
    kind: Kind = "search"
    echoed: Mapping[str, str] = field(default_factory=dict)

    @property
    def offset(self) -> int:
        """How many results stand before the first one asked for."""
        return (self.page - 1) * self.limit


class SearchApiProvider(Provider):
    """A result list is recorded as asked; a shorter list of the same query is its first part.

    Of a page after the first no longer list is asked: its first results would be others.
    """

    name = "search_api"
    authority: Authority = "open-web"

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to one of the two search endpoints."""
        return request.method == "POST" and _kind(request) is not None

    def family(self, request: HttpRequest) -> str:
        """The endpoint, the query, its page and its window, whatever the length of the list."""
        asked = _asked(request)
        plain = {"num": None, "page": 1, "tbs": ""}
        fields = {name: asked[name] for name in asked if name not in plain or asked[name] != plain[name]}
        fields.pop("num", None)
        return f"{_kind(request)} {canonical_bytes(fields).decode()}"

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The same query with the longest list the API gives (100); a later page as it is."""
        asked = _asked(request)
        wide = asked if asked.get("page", 1) > 1 else {**asked, "num": LONGEST}
        return (HttpRequest("POST", request.url, canonical_bytes(wide), _JSON),)

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The first ``num`` results of a list that is long enough and not of later. Raises ``Miss`` when none is."""
        asked = _asked(request)
        wanted, first, rows = asked.get("num", DEFAULT), asked.get("page", 1) == 1, _LISTS[_kind(request) or "search"]
        for found in recorded:
            at, length = answered_at(found.reply), _asked(found.request).get("num", DEFAULT)
            if at is not None and at > now:
                continue
            content = _content(found.reply)
            if length == wanted:
                return found.reply
            if length > wanted and first:
                short = {**content, rows: content[rows][:wanted]}
                if isinstance(short.get("searchParameters"), dict):
                    short["searchParameters"] = {**short["searchParameters"], "num": wanted}
                return HttpReply(found.reply.status, found.reply.headers, canonical_bytes(short))
        raise Miss("http", f"{wanted} results for {request.body.decode('utf-8', 'replace'):.200}", "no list that long")


def search_request(query: str, limit: int, page: int = 1, tbs: str = "", kind: Kind = "search") -> HttpRequest:
    """The API's request for ``limit`` results."""
    more = {name: value for name, value in (("page", page), ("tbs", tbs)) if value not in (1, "")}
    return HttpRequest("POST", f"{ORIGIN}/{kind}", canonical_bytes({"q": query, "num": limit, **more}), _JSON)


def question_of(request: HttpRequest) -> SearchRequest:
    """What a request asks. Raises ``Miss`` for a body that is no question."""
    asked = _asked(request)
    echoed = {name: asked[name] for name in _ECHOED if isinstance(asked.get(name), str)}
    limit = max(1, min(asked.get("num", DEFAULT), LONGEST))
    return SearchRequest(
        asked["q"], limit, asked.get("page", 1), asked.get("tbs", ""), _kind(request) or "search", echoed
    )


def result_list(
    asked: SearchRequest, found: Iterable[Ranked], now: int | None, outlets: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Ranked pages in the API's shape.

    Dates are as the API has them in English: of results younger than a week "2 hours ago" by ``now``, else days; with
    ``now`` None always days. ``outlets`` names the sources of news by host; an unnamed one is its host.
    """
    rows = [_row(asked.kind, result, now, outlets or {}) for result in found]
    parameters = {"q": asked.query, "type": asked.kind, "engine": "google", "num": asked.limit, **asked.echoed}
    if asked.page > 1:
        parameters["page"] = asked.page
    return {"searchParameters": parameters, _LISTS[asked.kind]: rows, "credits": 1}


def result_links(reply: HttpReply) -> tuple[str, ...]:
    """The addresses a recorded result list names, in rank order. Raises ``Miss`` for another shape."""
    content = _content(reply)
    return tuple(item["link"] for rows in _LISTS.values() for item in content.get(rows, ()))


def host_of(url: str) -> str:
    """A page's host without ``www.``; "" for what has none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _row(kind: Kind, result: Ranked, now: int | None, outlets: Mapping[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "title": result.page.title,
        "link": result.page.url,
        "snippet": result.snippet,
        "position": result.rank,
    }
    if result.page.published is not None:
        # Of what is yet to come, and so without a ``now``, always the day.
        row["date"] = ago_text(result.page.published, result.page.published - 1 if now is None else now)
    if kind == "news":
        host = host_of(result.page.url)
        row["source"] = outlets.get(host, host)
    return row


def _kind(request: HttpRequest) -> Kind | None:
    return next((kind for kind in ("search", "news") if request.url == f"{ORIGIN}/{kind}"), None)


def _asked(request: HttpRequest) -> dict[str, Any]:
    """A request's body. Raises ``Miss`` for one that is no question of this API."""
    try:
        asked: dict[str, Any] = strict_json(request.body)
        whole = [asked.get(name, 1) for name in ("num", "page")]
        texts = [asked["q"], asked.get("tbs", "")]
        if all(isinstance(one, str) for one in texts) and all(type(one) is int and one > 0 for one in whole):
            return asked
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise Miss("http", f"POST {request.url:.80}", 'the body is no question: {"q": ..., "num": ..., "page": ...}')


def _content(reply: HttpReply) -> dict[str, Any]:
    try:
        content: dict[str, Any] = strict_json(reply.body)
        lists = [content[rows] for rows in _LISTS.values() if rows in content]
        if reply.status == 200 and lists and all(isinstance(item["link"], str) for rows in lists for item in rows):
            return content
    except (ValueError, KeyError, TypeError):
        pass
    raise Miss("http", "a search result list", f"the recorded reply (status {reply.status}) is none")
