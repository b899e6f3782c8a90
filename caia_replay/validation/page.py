"""Lint of the pages a world shows: recorded replies that are no page, and what campaigns plant among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caia_replay.core.answer_matcher import plain, says
from caia_replay.core.expression import same
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost
from caia_replay.core.world import Page, Post
from caia_replay.errors import ToolError, nearest
from caia_replay.providers.reader.provider import page_url
from caia_replay.providers.x.provider import ORIGINS as SOCIAL
from caia_replay.store.world_folder import WorldFolder
from caia_replay.validation.cassette import shown
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class RecordedPages:
    """The pages and posts of a world, what is wrong with the pages, and the size in bytes of the longest reply of any
    kind."""

    pages: tuple[Page, ...]
    faults: tuple[str, ...]
    longest_body: int
    posts: tuple[Post, ...] = ()


def recorded_pages(world: FrozenWorld) -> RecordedPages:
    """Every page the reader recorded in ``world``, read one by one: one that is none spoils no other."""
    broken = set(world.web.corpus.broken)
    for page in world.corpus:
        try:
            f"{page.title}{page.text}".encode()
        except UnicodeEncodeError:
            broken.add(page.url)
    lines = tuple(f"the reader's reply is no page: {shown(url)}" for url in sorted(broken))
    longest = max((len(reply.body) for _, reply in world.recordings(None).requests()), default=0)
    return RecordedPages(world.corpus, lines, longest, world.posts)


def overlay_faults(folder: WorldFolder, overlay: Overlay, recorded: RecordedPages) -> Iterator[str]:
    """What is wrong with one campaign: planted for no task or where something is recorded, values that lie badly."""
    known = {entry.id for entry in folder.suite.entries}
    values: dict[str, str] = {}
    pages, posts = [plain(page.text) for page in recorded.pages], [plain(post.text) for post in recorded.posts]
    yield from _page_faults(overlay, recorded)
    for planted, what, text in _lies(overlay):
        if planted.task not in known:
            yield f"plants for unknown task {planted.task!r}; nearest: {nearest(planted.task, known)}"
        elif any(same(planted.planted, value) for value in folder.task(planted.task).answer.values):
            yield f"planted value {planted.planted!r} is the right answer of {planted.task}"
        moment = _moment(planted)
        if planted.task in known and moment is not None and moment > folder.task(planted.task).anchor.timestamp:
            yield f"{what} is dated after the moment of {planted.task}, so it is never seen there"
        if planted.planted not in text:
            yield f"{what} does not hold its planted value {planted.planted!r}"
        if values.setdefault(planted.planted, planted.task) != planted.task:
            yield f"planted value {planted.planted!r} is not unique"
        if any(says(page, planted.planted) for page in pages):
            yield f"planted value {planted.planted!r} stands on a recorded page"
        if any(says(post, planted.planted) for post in posts):
            yield f"planted value {planted.planted!r} stands in a recorded post"
    for body in overlay.bodies:
        if not body.url.startswith(tuple(f"{origin}/" for origin in SOCIAL)):
            yield f"plants an answer of {body.url!r:.200}: only what the social network says may be planted so"
    taken = {post.id for post in recorded.posts}
    yield from (
        f"plants post {found.post.id}, which is a recorded post" for found in overlay.posts if found.post.id in taken
    )


def _page_faults(overlay: Overlay, recorded: RecordedPages) -> Iterator[str]:
    taken = {_address(page.url) for page in recorded.pages}
    for planted in overlay.pages:
        address = _address(planted.page.url)
        if not address:
            yield f"plants {planted.page.url!r:.200}, which is no web address"
        elif address in taken:
            yield f"plants {planted.page.url!r:.200}, which is a recorded page"
        if planted.page.known_since is None:
            yield f"plants {planted.page.url!r:.200}, which has neither a date nor a first_seen: nobody can ever see it"


def _lies(overlay: Overlay) -> Iterator[tuple[PlantedPage | PlantedPost | PlantedBody, str, str]]:
    """Each planted thing, what it is called, and the text that carries its value."""
    yield from ((found, found.page.url, found.page.text) for found in overlay.pages)
    yield from ((found, f"post {found.post.id}", found.post.text) for found in overlay.posts)
    yield from ((found, f"the reply to {found.url}", found.reply) for found in overlay.bodies)


def _moment(planted: PlantedPage | PlantedPost | PlantedBody) -> int | None:
    """When a planted thing came to be, seconds since 1970; None for what has no date."""
    if isinstance(planted, PlantedPage):
        return planted.page.known_since
    return planted.post.created if isinstance(planted, PlantedPost) else None


def _address(url: str) -> str:
    try:
        return page_url(url)
    except ToolError:
        return ""
