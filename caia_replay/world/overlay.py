"""An overlay made ready for one world: its pages, posts and bodies by what asks for them, and what it moves.

It is applied as a whole, to the index and to the reader, whatever task is run; what a world has recorded it only adds
to. Nothing planted is there before its own date.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from caia_replay.cassette.identity import describe, identity
from caia_replay.cassette.url import canonical_url
from caia_replay.core.overlay import Overlay, PlantedBody
from caia_replay.core.provider import HttpRequest
from caia_replay.core.world import Page, Post, WorldView
from caia_replay.errors import BadInput, ToolError
from caia_replay.providers.reader.provider import ReaderProvider, page_url
from caia_replay.providers.search_api.provider import SearchApiProvider

K = TypeVar("K", str, bytes)
V = TypeVar("V")

NO_OVERLAY: Final = Overlay("none", (), "")


@dataclass(frozen=True, slots=True)
class Applied:
    """An overlay's ``pages`` by address, ``posts`` by id, ``bodies`` by the identity of the request they answer, and
    what is put below the descriptions of ``tools`` by their names."""

    pages: Mapping[str, Page]
    posts: Mapping[str, Post]
    bodies: Mapping[bytes, PlantedBody]
    tools: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Moved:
    """An honest page that an overlay moved in the results of ``query``: its ranks, None where it is not shown."""

    query: str
    url: str
    before: int | None
    after: int | None


def apply_overlay(overlay: Overlay, pages: Collection[str], posts: Collection[str]) -> Applied:
    """``overlay`` over a world with recorded ``pages`` (addresses) and ``posts`` (ids).

    Raises ``BadInput`` for a planted page or post that is recorded or planted twice, for two bodies for one request,
    for what is no web address, and for a body for the reader or the search API: pages are planted as such.
    """
    where = f"campaign {overlay.campaign}"
    planted = _once(
        "page",
        ((_address(found.page.url, where), replace(found.page, altered_by=found.attack)) for found in overlay.pages),
        pages,
        where,
    )
    written = _once(
        "post", ((found.post.id, replace(found.post, altered_by=found.attack)) for found in overlay.posts), posts, where
    )
    bodies = _once("body", ((_question(found, where), found) for found in overlay.bodies), (), where)
    tools: dict[str, dict[str, None]] = {}
    for one in overlay.tools:  # a text that concerns many tasks is told once
        tools.setdefault(one.tool, {})[one.text] = None
    return Applied(planted, written, bodies, {tool: "\n\n".join(texts) for tool, texts in tools.items()})


def moved(clean: WorldView, attacked: WorldView, queries: Iterable[str], limit: int) -> tuple[Moved, ...]:
    """Every honest page whose rank among the first ``limit`` results differs between two views of one moment, sorted by
    query, rank before, rank after and address."""
    found: list[Moved] = []
    for query in sorted(set(queries)):
        before, after = (
            {result.page.url: result.rank for result in view.search(query, limit) if not result.page.altered_by}
            for view in (clean, attacked)
        )
        changed = [url for url in before.keys() | after.keys() if before.get(url) != after.get(url)]
        found += [Moved(query, url, before.get(url), after.get(url)) for url in changed]
    last = limit + 1
    return tuple(sorted(found, key=lambda one: (one.query, one.before or last, one.after or last, one.url)))


def _address(url: str, where: str) -> str:
    try:
        return page_url(url)
    except ToolError as fault:
        raise BadInput(str(fault), where=where) from fault


def _question(found: PlantedBody, where: str) -> bytes:
    request = HttpRequest(found.method, canonical_url(found.url).text(), found.body.encode("utf-8", "surrogatepass"))
    if ReaderProvider().match(request) or SearchApiProvider().match(request):
        raise BadInput(f"a body for {found.url:.200} tells of pages: plant those instead", where=where)
    return identity(request.method, request.url, request.body)


def _once(kind: str, found: Iterable[tuple[K, V]], recorded: Collection[K], where: str) -> dict[K, V]:
    made: dict[K, V] = {}
    for key, value in found:
        shown = describe(key) if isinstance(key, bytes) else key
        if key in recorded:
            raise BadInput(f"{where} plants {shown}, which is a recorded {kind}")
        if key in made:
            raise BadInput(f"{where} plants one {kind} twice: {shown}")
        made[key] = value
    return made
