"""What of the open web was written after a task's moment: found in one recorded exchange, before it is kept.

Replay shows nothing of later by itself; this keeps out of a cassette what nobody at the moment could be shown, and says
what the clock will cut. Market data and chains are not looked at: their questions name their time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import answered_at, utc
from caia_replay.providers.reader.address import capture_of, is_archived
from caia_replay.providers.reader.provider import LeftArchive, ReaderProvider, read_page, seen_at, target_of, why_hidden
from caia_replay.providers.search_api import provider as search_api
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.x import provider as x_api
from caia_replay.providers.x.item import posts_of
from caia_replay.search.window import moment_of

_LISTS = ("organic", "news")
_LONGEST_DATE = 60
"""Characters: no search engine tells a date in more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of later: ``dropped`` must not be kept, ``marked`` may be, because replay cuts it off by the clock."""

    kind: Literal["dropped", "marked"]
    why: str


def is_open_web(request: HttpRequest) -> bool:
    """Whether a request reads pages, posts or lists of them: what ``lateness`` judges whole."""
    places = (f"{search_api.ORIGIN}/", *(f"{origin}/" for origin in x_api.ORIGINS))
    return ReaderProvider().match(request) or WebArchiveProvider().match(request) or request.url.startswith(places)


def lateness(
    recorded: Recorded, anchor_s: int, since: Callable[[str], int | None] = lambda url: None
) -> Finding | None:
    """What is of later than ``anchor_s`` (seconds since 1970, UTC) in one exchange; None where nothing is.

    Dropped: what the reader's own rule hides (``reader.why_hidden``), what it read outside the archive in place of a
    capture, and a result list that names a page of later though it does not say that it was made later. Marked: posts
    of later, and a result list made later that names one. Refusals and replies of another shape hold nothing.
    ``since`` says from when on a page is known to be as it is, where something else tells.
    Never raises, whatever the reply.
    """
    url = recorded.request.url
    if ReaderProvider().match(recorded.request):
        return _page(recorded, anchor_s, since)
    if url.startswith(search_api.ORIGIN + "/"):
        return _results(recorded, anchor_s)
    if url.startswith(tuple(f"{origin}/" for origin in x_api.ORIGINS)):
        return _posts(recorded, anchor_s)
    return _capture(recorded, anchor_s)


def _page(recorded: Recorded, anchor_s: int, since: Callable[[str], int | None]) -> Finding | None:
    target = target_of(recorded.request)
    try:
        page = read_page(recorded.reply, target)
        seen = min((at for at in (page.first_seen, since(page.url)) if at is not None), default=None)
        why = why_hidden(page, is_archived(target), seen, anchor_s)
    except LeftArchive as left:
        why = left.detail.where
    except (Miss, ToolError):
        return None
    return Finding("dropped", why) if why else None


def _posts(recorded: Recorded, anchor_s: int) -> Finding | None:
    posts = posts_of(recorded.reply)
    late = [post for post in posts if post.created > anchor_s]
    if not late:
        return None
    why = f"{len(late)} of {len(posts)} posts are of after the moment {utc(anchor_s)}; replay leaves them out"
    return Finding("marked", why)


def _results(recorded: Recorded, anchor_s: int) -> Finding | None:
    made = answered_at(recorded.reply)
    late = 0
    for text in _dates(recorded.reply.body):
        meant = moment_of(text, anchor_s if made is None else made)
        # How long ago it was says nothing where nobody knows from when.
        late += meant is not None and meant[0] > anchor_s
    if not late:
        return None
    why = f"{late} of its results are of after the moment {utc(anchor_s)}"
    if made is not None and made > anchor_s:
        return Finding("marked", f"{why}; replay gives a list of later to nobody")
    return Finding("dropped", why)


def _dates(body: bytes) -> Iterator[str]:
    """The dates of a result list's rows; nothing for another shape."""
    try:
        content: Any = strict_json(body)
    except ValueError:
        return
    if not isinstance(content, dict):
        return
    for name in _LISTS:
        rows = content.get(name)
        for row in rows if isinstance(rows, list) else ():
            date = row.get("date") if isinstance(row, dict) else None
            if isinstance(date, str) and len(date) <= _LONGEST_DATE:
                yield date


def _capture(recorded: Recorded, anchor_s: int) -> Finding | None:
    """A capture that was recorded from the archive itself."""
    if recorded.reply.status != 200 or not is_archived(recorded.request.url):
        return None
    capture = capture_of(recorded.request.url)
    kept = seen_at(recorded.reply) if "memento-datetime" in recorded.reply.headers else None
    moment = max((at for at in (kept, None if capture is None else capture.moment) if at is not None), default=None)
    if moment is None or moment <= anchor_s:
        return None
    return Finding("dropped", f"captured {utc(moment)}, not by the moment {utc(anchor_s)}")
