"""overlays/<campaign>.toml: what a campaign adds to a world, as people write and review it.

``{planted}`` in titles, texts and replies stands for the planted value, so that each lie is written once. What every
planted thing may say beside its own form is in ``core.overlay``; what is not told there is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from caia_replay.core.goal import Goal
from caia_replay.core.overlay import (
    Overlay,
    Planted,
    PlantedBody,
    PlantedPage,
    PlantedPost,
    PlantedTool,
    overlay_digest,
)
from caia_replay.core.task import LAST_MOMENT
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.seal import write_atomic

_SLOT: Final = "{planted}"


@dataclass(frozen=True, slots=True)
class OverlayFile:
    """The whole file. A list that is not there is empty."""

    campaign: str
    page: tuple[OverlayPage, ...] | None = None
    post: tuple[OverlayPost, ...] | None = None
    body: tuple[OverlayBody, ...] | None = None
    tool: tuple[OverlayTool, ...] | None = None


@dataclass(frozen=True, slots=True)
class OverlayPage:
    """One planted page; ``published`` is seconds since 1970 UTC, and an undated page has ``first_seen`` instead."""

    attack: str
    task: str
    planted: str
    url: str
    title: str
    text: str
    published: int | None = None
    first_seen: int | None = None
    author: str | None = None
    language: str | None = None
    first: bool | None = None
    answer: str | None = None
    marked: bool | None = None
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class OverlayPost:
    """One planted post; ``created`` is seconds since 1970 UTC. Without a ``thread`` it starts its own."""

    attack: str
    task: str
    planted: str
    id: str
    author: str
    text: str
    created: int
    thread: str | None = None
    reply_to: str | None = None
    language: str | None = None
    likes: int | None = None
    reposts: int | None = None
    replies: int | None = None
    answer: str | None = None
    marked: bool | None = None
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class OverlayBody:
    """What an API answers to one request: status 200 and ``reply``. Without a ``method`` it is GET."""

    attack: str
    task: str
    planted: str
    url: str
    reply: str
    method: str | None = None
    body: str | None = None
    answer: str | None = None
    marked: bool | None = None
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class OverlayTool:
    """What is put below the description of ``tool``; where ``planted`` is not told, no value is planted."""

    attack: str
    tool: str
    text: str
    task: str | None = None
    planted: str | None = None
    answer: str | None = None
    marked: bool | None = None
    goal: Goal | None = None


def read_overlay(path: Path, sealed: str = "") -> Overlay:
    """The campaign in a file. Raises ``BadInput`` as ``read_toml`` (which says what ``sealed`` is) and ``build``,
    for a campaign of another name than the file's, and for a moment that has no date."""
    written = build(OverlayFile, read_toml(path, sealed), path)
    if written.campaign != path.stem:
        raise BadInput(f"field 'campaign' is {written.campaign!r}, the file is named {path.stem!r}", where=path)
    pages = tuple(_page(found, path) for found in written.page or ())
    posts = tuple(_post(found, path) for found in written.post or ())
    bodies = tuple(_body(found) for found in written.body or ())
    tools = tuple(_tool(found) for found in written.tool or ())
    overlay = Overlay(written.campaign, pages, "", posts, bodies, tools)
    return replace(overlay, digest=overlay_digest(overlay))


def save_overlay(folder: Path, overlay: OverlayFile) -> None:
    """Write overlays/<campaign>.toml below a world's ``folder``."""
    write_atomic(folder / "overlays" / f"{overlay.campaign}.toml", toml_text(thawed(overlay)).encode())


def written(overlay: Overlay) -> OverlayFile:
    """An overlay as its file says it, in its own order. Raises ``BadInput`` for what the file's form cannot say."""
    return OverlayFile(
        overlay.campaign,
        tuple(_written_page(found) for found in overlay.pages) or None,
        tuple(_written_post(found) for found in overlay.posts) or None,
        tuple(_written_body(found) for found in overlay.bodies) or None,
        tuple(_written_tool(found) for found in overlay.tools) or None,
    )


def _page(found: OverlayPage, path: Path) -> PlantedPage:
    for moment in (found.published, found.first_seen):
        _require_dated(moment, found.url, path)
    page = Page(
        found.url,
        found.title.replace(_SLOT, found.planted),
        found.text.replace(_SLOT, found.planted),
        found.published,
        found.attack,
        found.author or "",
        found.language or "",
        found.first_seen,
    )
    return PlantedPage(found.attack, found.task, found.planted, page, **_more(found), first=bool(found.first))


def _post(found: OverlayPost, path: Path) -> PlantedPost:
    _require_dated(found.created, f"post {found.id}", path)
    post = Post(
        found.id,
        found.author,
        found.text.replace(_SLOT, found.planted),
        found.created,
        found.thread or found.id,
        found.reply_to or "",
        found.language or "",
        found.likes,
        found.reposts,
        found.replies,
        found.attack,
    )
    return PlantedPost(found.attack, found.task, found.planted, post, **_more(found))


def _body(found: OverlayBody) -> PlantedBody:
    reply = found.reply.replace(_SLOT, found.planted)
    method, body = found.method or "GET", found.body or ""
    return PlantedBody(found.attack, found.task, found.planted, method, found.url, body, reply, **_more(found))


def _tool(found: OverlayTool) -> PlantedTool:
    return PlantedTool(found.attack, found.task or "", found.planted or "", found.tool, found.text, **_more(found))


def _more(found: OverlayPage | OverlayPost | OverlayBody | OverlayTool) -> dict[str, Any]:
    return {"answer": found.answer or "", "marked": bool(found.marked), "goal": found.goal}


def _told(found: Planted) -> dict[str, Any]:
    answer = None if found.answer in ("", found.planted) else found.answer
    return {"answer": answer, "marked": found.marked or None, "goal": found.goal}


def _written_page(found: PlantedPage) -> OverlayPage:
    page, value = found.page, found.planted
    title, text = (_slotted(part, value, page.url) for part in (page.title, page.text))
    more = (page.author or None, page.language or None, found.first or None)
    return OverlayPage(
        found.attack, found.task, value, page.url, title, text, page.published, page.first_seen, *more, **_told(found)
    )


def _written_post(found: PlantedPost) -> OverlayPost:
    post = found.post
    return OverlayPost(
        found.attack,
        found.task,
        found.planted,
        post.id,
        post.author,
        _slotted(post.text, found.planted, f"post {post.id}"),
        post.created,
        None if post.thread == post.id else post.thread,
        post.reply_to or None,
        post.language or None,
        post.likes,
        post.reposts,
        post.replies,
        **_told(found),
    )


def _written_body(found: PlantedBody) -> OverlayBody:
    reply = _slotted(found.reply, found.planted, found.url)
    method = None if found.method == "GET" else found.method
    return OverlayBody(
        found.attack, found.task, found.planted, found.url, reply, method, found.body or None, **_told(found)
    )


def _written_tool(found: PlantedTool) -> OverlayTool:
    return OverlayTool(found.attack, found.tool, found.text, found.task or None, found.planted or None, **_told(found))


def _slotted(text: str, value: str, where: str) -> str:
    if not value:
        return text
    if not value.strip():
        raise BadInput("a planted value needs words", where=where)
    if _SLOT in text:
        raise BadInput(f"says {_SLOT}, which in an overlay's file stands for the planted value", where=where)
    return text.replace(value, _SLOT)


def _require_dated(moment: int | None, what: str, path: Path) -> None:
    if moment is not None and not 0 <= moment <= LAST_MOMENT:
        raise BadInput(f"{what:.200} is dated {str(moment)[:40]}, which no calendar has", where=path)
