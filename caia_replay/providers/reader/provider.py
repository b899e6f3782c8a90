"""The page reader (Jina Reader's shape): a page's readable text, by its address.

GET https://r.jina.ai/<page url>     Accept: application/json
{"code": 200, "status": 20000, "data": {"title", "description", "url", "content", "publishedTime",
 "metadata": {"lang", "author"}, "usage": {"tokens"}}}

A page is recorded whole, and perhaps several times. What it said at a moment is what was recorded last by then; where
nothing was recorded yet, a page that was out by then is what was recorded of it first.

The reader can be given an archive's capture too: GET https://r.jina.ai/https://web.archive.org/web/<14 digits>id_/<page
url>. Its recording is a version of the page itself, of the moment that the digits say (UTC), and of no later one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.retry_after import BUSY
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.core.world import Page
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import answered_at, derived, utc
from caia_replay.providers.reader.address import CAPTURE_PREFIX, RoughlyDated, capture_of, is_archived, page_date
from caia_replay.providers.reader.address import page_url as page_url

ORIGIN = "https://r.jina.ai"

_PREFIX: Final = re.compile(CAPTURE_PREFIX + "(?=https?://)")
_WARNED: Final = re.compile(r"returned error ([45][0-9]{2})")
_STUMBLES: Final = 500
"""From this status on a reply says something of the server that gave it, and nothing of the page."""


class LeftArchive(Miss):
    """A capture was asked for, and the reader read an address outside the archive: the page of today."""


@dataclass(frozen=True, slots=True)
class _Version:
    """One recording of a page. ``page`` is None for a refusal; ``at`` is the moment it shows the page at, if known."""

    reply: HttpReply
    page: Page | None
    at: int | None
    is_archived: bool


class ReaderProvider(Provider):
    """Whole pages are recorded, so a recording answers exactly one address and nothing narrower.

    ``seen`` gives the moment from which other recordings show a page to be there; None where none does.
    """

    name = "reader"
    authority: Authority = "open-web"

    def __init__(self, seen: Callable[[str], int | None] = lambda url: None) -> None:
        self._seen = seen

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the reader."""
        return request.method == "GET" and request.url.startswith(ORIGIN + "/")

    def family(self, request: HttpRequest) -> str:
        """The page's address; of a capture that of the page which was captured."""
        target = target_of(request)
        capture = capture_of(target)
        return target if capture is None else capture.url

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The page as it was recorded or captured last at or before ``now``; where it was not, as it was recorded
        first, which no capture is: of those nothing later than ``now`` is shown.

        Who names a capture is given that one. Raises ``Miss`` without a recording, for a page that was not out at
        ``now``, for one without a date that nothing recorded shows by then, and for a refusal of later.
        """
        url = target_of(request)
        asked = capture_of(url)
        of_archive = is_archived(url)
        if of_archive:
            recorded = [found for found in recorded if found.request.url == request.url]
        items = [found for found in recorded if found.reply.status not in BUSY] or recorded
        if not items:
            raise Miss("page", url, "no recording of this page")
        if asked is not None and asked.moment > now:
            raise Miss("page", url, "captured later")
        versions, broken = _versions(items, not of_archive)
        since = _earliest(
            [self._seen(url), *(version.page.first_seen for version in versions if version.page is not None)]
        )
        past = [version for version in versions if version.at is not None and version.at <= now]
        first = [one for one in versions if not one.is_archived and (one.page is not None or one.at is None)]
        why = "the page was refused later, and nothing of before is recorded"
        if any(version.is_archived for version in versions):
            why = "every capture of it is of later"
        for version in past[-1:] or first:
            why = "" if version.page is None else why_hidden(version.page, version.is_archived, since, now)
            if not why:
                return version.reply if of_archive or not version.is_archived else _as_page(version, url)
        raise Miss("page", url, why) if versions else broken[0]


def _versions(recorded: Iterable[Recorded], is_page: bool) -> tuple[list[_Version], list[Miss]]:
    """Recordings with the pages they hold, in the order of their moments, those without one last; and what is wrong
    with those that hold none. That the reader failed at a capture says nothing of the page (``is_page``)."""
    found: list[_Version] = []
    broken: list[Miss] = []
    for one in recorded:
        target = target_of(one.request)
        of_archive = is_archived(target)
        try:
            page = read_page(one.reply, target)
        except ToolError:
            if of_archive and is_page:
                broken.append(Miss("page", target, "the reader was given no page by the archive"))
                continue
            capture = capture_of(target)
            at = seen_at(one.reply) if capture is None else capture.moment
            found.append(_Version(one.reply, None, at, of_archive))
        except Miss as miss:
            broken.append(miss)
        else:
            found.append(_Version(one.reply, page, page.first_seen, of_archive))
    found.sort(key=lambda version: _order(version.at))
    return found, broken


def why_hidden(page: Page, is_capture: bool, since: int | None, now: int) -> str:
    """Why a page that was read cannot be shown at ``now``; "" when it can. ``since``: when it was first seen, if known.

    What is dated later never is. Of the rest what was seen by then is, and what was read live (no capture) also when
    its date, at the latest that it can mean, is past.
    """
    if page.published is not None and page.published > now:
        return f"dated {utc(page.published)}, after the moment {utc(now)}: not out yet"
    if since is not None and since <= now:
        return ""
    if is_capture:
        value = "at a time that nothing tells" if since is None else utc(since)
        return f"captured {value}, not by the moment {utc(now)}"
    if page.published is None:
        value = "nothing recorded says since when it was there" if since is None else f"was first seen at {utc(since)}"
        return f"without a date, and {value}: it may have been written after the moment {utc(now)}"
    latest = page.known_since
    if latest is None or latest <= now:
        return ""
    return f"dated somewhere between {utc(page.published)} and {utc(latest)}, after the moment {utc(now)}"


def _as_page(version: _Version, url: str) -> HttpReply:
    """A capture's reply as that of the page itself; ``memento-datetime`` says of when it is."""
    assert version.page is not None and version.at is not None
    content = strict_json(version.reply.body)
    content["data"] |= {"url": url, "content": version.page.text}
    reply = derived(content, version.reply)
    return replace(reply, headers={**reply.headers, "memento-datetime": formatdate(version.at, usegmt=True)})


def target_of(request: HttpRequest) -> str:
    """The address that the reader is asked to read."""
    return request.url.removeprefix(ORIGIN + "/")


def page_request(url: str) -> HttpRequest:
    """The reader's request for a page. ``ToolError`` when ``url`` is no web address."""
    address = page_url(url)
    # In a browser the scripts of a captured page would fetch what is there today.
    engine = {"X-Engine": "direct"} if is_archived(address) else {}
    return HttpRequest("GET", f"{ORIGIN}/{address}", headers={"Accept": "application/json", **engine})


def read_page(reply: HttpReply, url: str) -> Page:
    """The page in a reader reply, first seen when the reply was given (or, by an archive, when it was kept).

    Of a capture it is the page which was captured, with that one's address, links to captures beside it included.
    Where the reply says that it shows another capture than was asked for, the moment is that one's.

    A recorded refusal (404, 451 ...) is a fact about the page and a ``ToolError``; a status of 500 or more, and a
    reply that does not have the reader's shape, is a ``Miss``: the recording does not contain the page. So is one that
    tells of an address outside the archive where a capture was asked for (``LeftArchive``).
    """
    if reply.status != 200:
        raise _refusal(url, reply.status)
    try:
        content = strict_json(reply.body)
        data: dict[str, Any] = content["data"]
        title, text, value = data["title"], data["content"], data.get("metadata")
        if not (isinstance(title, str) and isinstance(text, str)):
            raise TypeError("title and content must be texts")
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise Miss("page", url, "the recorded reply is not a reader reply") from fault
    author, language = (_text(value, name) for name in ("author", "lang"))
    seen, of_archive = seen_at(reply), is_archived(url)
    if of_archive:
        warned = _WARNED.search(_text(data, "warning")[:1_000])
        if warned is not None:
            raise _refusal(url, int(warned[1]))
        read = _text(data, "url")
        if read and not is_archived(read):
            raise LeftArchive("page", url, f"the reader left the archive for {read[:200]}, the page of today")
        capture = capture_of(read) or capture_of(url)
        if capture is not None:
            asked = capture_of(url)
            url, seen, text = (capture if asked is None else asked).url, capture.moment, _PREFIX.sub("", text)
    published, spread_s = page_date(data.get("publishedTime"))
    if published is None or not spread_s or of_archive:
        return Page(url, title, text, published, "", author, language, seen)
    return RoughlyDated(url, title, text, published, "", author, language, seen, spread_s)


def _refusal(url: str, status: int) -> Miss | ToolError:
    if status >= _STUMBLES:
        return Miss("page", url, f"the reader stumbled with status {status}, which says nothing of the page")
    return ToolError(f"{url} answered {status}")


def page_content(page: Page) -> dict[str, Any]:
    """A page as the reader tells it; what is not known of it is left out."""
    data: dict[str, Any] = {
        "title": page.title,
        "description": "",
        "url": page.url,
        "content": page.text,
        "usage": {"tokens": len(page.text) // 4},
    }
    if page.published is not None:
        data["publishedTime"] = datetime.fromtimestamp(page.published, UTC).isoformat()
    fields = {name: value for name, value in (("lang", page.language), ("author", page.author)) if value}
    if fields:
        data["metadata"] = fields
    return {"code": 200, "status": 20000, "data": data}


def page_reply(page: Page) -> HttpReply:
    """The reader's reply for a page."""
    return HttpReply(200, {"content-type": "application/json; charset=utf-8"}, canonical_bytes(page_content(page)))


def seen_at(reply: HttpReply) -> int | None:
    """The moment a reply shows its page at: an archive's ``memento-datetime``, else its ``date``, else None."""
    return answered_at(reply, "memento-datetime" if "memento-datetime" in reply.headers else "date")


def first_version(pages: Iterable[Page], seen: int | None = None) -> Page:
    """What was recorded first of one page, with the earliest moment at which any recording, or ``seen``, shows it."""
    found = sorted(pages, key=lambda page: _order(page.first_seen))
    return replace(found[0], first_seen=_earliest([seen, *(page.first_seen for page in found)]))


def _earliest(moments: Iterable[int | None]) -> int | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _order(moment: int | None) -> tuple[bool, int]:
    """By moment; what has none comes last, in its recorded order."""
    return moment is None, moment or 0


def _text(content: Any, name: str) -> str:
    value = content.get(name) if isinstance(content, dict) else None
    return value.strip() if isinstance(value, str) else ""
