"""What a world's recordings hold of the web: pages, posts, and since when each page is known to have been there.

One walk over the recordings of the reader, the search API and the social network, and over what a code host says of
when a file changed; others are not read. What an
archive's capture shows is a version of the page that was captured. Where several cassettes hold one question, the
first one's recordings count, as for every answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final
from urllib.parse import urlsplit

from caia_replay.cassette.identity import fields
from caia_replay.cassette.recordings import Recordings
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.world import Page, Post
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import answered_at
from caia_replay.providers.plain_http.repository import HOST as REPOSITORIES
from caia_replay.providers.plain_http.repository import changed_at, files_of
from caia_replay.providers.reader import provider as reader
from caia_replay.providers.reader.address import is_archived
from caia_replay.providers.reader.provider import first_version, page_url, read_page, target_of
from caia_replay.providers.search_api import provider as search_api
from caia_replay.providers.search_api.provider import result_links
from caia_replay.providers.x import provider as x_api
from caia_replay.providers.x.item import posts_of


@dataclass(frozen=True, slots=True)
class Corpus:
    """``pages`` by address, as they were recorded or captured first; ``posts`` by moment and id, as they were recorded
    first: what was counted of them later is not in it.

    ``first_seen`` is the earliest moment of a recorded page or result list that shows an address, or the commit that a
    repository's file is unchanged since; without an entry none
    says when it was made. ``broken`` are the addresses whose recorded reply is no page.
    """

    pages: tuple[Page, ...]
    posts: tuple[Post, ...]
    first_seen: Mapping[str, int]
    broken: tuple[str, ...]


def read_corpus(recordings: Recordings) -> Corpus:
    """Everything of the web in ``recordings``."""
    versions: dict[str, list[Page]] = {}
    posts: dict[str, tuple[tuple[bool, int, bool], Post]] = {}
    seen: dict[str, int] = {}
    broken: list[str] = []
    for request, reply in _web(recordings):
        at = answered_at(reply)
        if request.url.startswith(reader.ORIGIN + "/"):
            target = target_of(request)
            try:
                page = _page(reply, target)
            except Miss:
                broken.append(target)
            else:
                if page is not None:
                    versions.setdefault(page.url, []).append(page)
        elif request.url.startswith(search_api.ORIGIN + "/"):
            if at is not None:
                seen |= {url: min(at, seen.get(url, at)) for url in _links(reply)}
        elif request.url.startswith(f"https://{REPOSITORIES}/"):
            changed = changed_at(reply)
            if changed is not None:
                seen |= {url: min(changed, seen.get(url, changed)) for url in files_of(request)}
        else:
            for post in posts_of(reply):
                order = (at is None, at or 0, not post.thread)
                if post.id not in posts or order < posts[post.id][0]:
                    posts[post.id] = order, post
    pages = tuple(first_version(versions[url], seen.get(url)) for url in sorted(versions))
    seen |= {page.url: page.first_seen for page in pages if page.first_seen is not None}
    items = sorted((post for _, post in posts.values()), key=lambda post: (post.created, len(post.id), post.id))
    return Corpus(pages, tuple(items), seen, tuple(sorted(set(broken))))


@dataclass(frozen=True, slots=True)
class CapturedPage(Page):
    """A page in the words of a capture made at ``kept``, which nobody can be shown before, whatever date it bears."""

    kept: int = 0

    @property
    def known_since(self) -> int | None:
        """From when on these words can be shown."""
        return max(self.kept, self.kept if self.published is None else self.published)


def _page(reply: HttpReply, target: str) -> Page | None:
    """What the reader read; None where an archive gave it nothing, or nothing says of when. Raises ``Miss``."""
    if not is_archived(target):
        return read_page(reply, target)
    try:
        page = read_page(reply, target)
    except ToolError:
        return None
    return None if page.first_seen is None else CapturedPage(**asdict(page), kept=page.first_seen)


_HOSTS: Final = frozenset(
    {urlsplit(origin).hostname for origin in (reader.ORIGIN, search_api.ORIGIN, *x_api.ORIGINS)} | {REPOSITORIES}
)


def _web(recordings: Recordings) -> Iterator[tuple[HttpRequest, HttpReply]]:
    """What the web answered with status 200, by identity and in recorded order."""
    for key in recordings.questions():
        if fields(key)["host"] in _HOSTS:
            yield from ((request, reply) for request, reply in recordings.exchanges(key) if reply.status == 200)


def _links(reply: HttpReply) -> Iterator[str]:
    """The addresses a result list shows; nothing where it is none."""
    with suppress(Miss):
        for link in result_links(reply):
            with suppress(ToolError):
                yield page_url(link)
