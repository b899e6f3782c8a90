"""Pages of a GitHub list put together again: which items are known, how many there are, and the Link header.

A list's length is known from its last page, or, to within a page, from the ``last`` address of any Link header. A full
page without a Link header proves nothing: some recorders drop headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import content_of, derived, endpoint_of

MOST_ON_A_PAGE: Final = 100
_ON_A_PAGE: Final = 30
_MOST_FOUND: Final = 1_000
"""A search leads to no more results than these, however many there are."""
_OF_ONE_REPLY: Final = ("link", "etag", "last-modified")
_LINK: Final = re.compile(r'<([^>]*)>\s*;\s*rel="?([a-z]+)"?')

Parameters = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is known of one list at one moment: items by place, and the least and greatest number there can be.

    ``most`` is None where nothing is known of it. ``address`` is what the Link header's addresses begin with, None
    where no recording had one. ``like`` gives a derived reply its headers, ``around`` what is beside the items.
    """

    items: Mapping[int, Any]
    least: int
    most: int | None
    address: str | None
    like: HttpReply
    around: Mapping[str, Any] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every item is known, and that there is no other."""
        return self.least == self.most == len(self.first())

    def first(self) -> list[Any]:
        """The items that are known without a gap from the list's beginning."""
        found: list[Any] = []
        while len(found) in self.items:
            found.append(self.items[len(found)])
        return found

    def having(self, items: Sequence[Any], is_whole: bool) -> Shelf:
        """A list made of some of this one's items; it may go on unless it is whole."""
        known = dict(enumerate(items))
        return Shelf(known, len(items), len(items) if is_whole else None, self.address, self.like, self.around)


def shelf_of(recordings: Iterable[Recorded]) -> Shelf | None:
    """What recorded pages of one list say together; None when there are none, or when they contradict each other."""
    items: dict[int, Any] = {}
    least, most, address = 0, None, None
    like, around = None, None
    for found in recordings:
        page = _page(found)
        if page is None:
            continue
        if any(items.setdefault(place, item) != item for place, item in page.items.items()):
            return None
        if like is not None and around != page.around:
            return None
        least, address = max(least, page.least), address or page.address
        most = page.most if most is None else most if page.most is None else min(most, page.most)
        like, around = like or page.like, page.around
    keys = [identity for item in items.values() if (identity := _identity(item)) is not None]
    if (
        like is None
        or len(set(keys)) != len(keys)
        or (most is not None and max([least, *(at + 1 for at in items)]) > most)
    ):
        return None
    return Shelf(items, least, most, address, like, around)


def page_from(shelf: Shelf, asked: Parameters, address: str, wanted: str) -> HttpReply:
    """The page of a list that is asked for, with its Link header.

    ``address`` is where the question went; the Link header's addresses begin with it where no recording had others.
    Raises ``Miss`` (for ``wanted``) where items or the number of pages are not known.
    """
    size, page = size_and_page(asked)
    start = (page - 1) * size
    stop = start + size if shelf.most is None or shelf.least != shelf.most else min(start + size, shelf.most)
    places = range(start, max(start, stop))
    if any(place not in shelf.items for place in places):
        raise Miss("http", wanted, f"recorded of that list: {_known(shelf)}")
    pages = _pages(shelf.least, size)
    if shelf.most is None or pages != _pages(shelf.most, size):
        raise Miss("http", wanted, f"how many pages there are is not recorded; of that list: {_known(shelf)}")
    rows = [shelf.items[place] for place in places]
    reply = made_of(rows if shelf.around is None else {**shelf.around, "items": rows}, shelf.like)
    link = _link(shelf.address or address, asked, page, pages)
    return HttpReply(200, {**reply.headers, "link": link}, reply.body) if link else reply


def made_of(content: Any, like: HttpReply) -> HttpReply:
    """A reply made of recorded parts; what the headers said of one reply alone, such as its neighbours, is left out."""
    reply = derived(content, like)
    return HttpReply(200, {name: text for name, text in reply.headers.items() if name not in _OF_ONE_REPLY}, reply.body)


def size_and_page(asked: Parameters) -> tuple[int, int]:
    """How many items a page has, and which page it is, counted from 1, as the vendor reads it."""
    return min(_whole(asked.get("per_page")) or _ON_A_PAGE, MOST_ON_A_PAGE), _whole(asked.get("page")) or 1


def moment_of(text: Any) -> int | None:
    """A moment with its time zone, in seconds; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
        return int(moment.timestamp()) if moment.tzinfo is not None and "T" in text else None
    except (ValueError, TypeError, OverflowError):
        return None


def links_of(reply: HttpReply) -> dict[str, str]:
    """The addresses of a Link header by their names (next, prev, first, last)."""
    return {name: address for address, name in _LINK.findall(reply.headers.get("link", ""))}


def without_query(address: str) -> str:
    """``https://host/path`` of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _page(found: Recorded) -> Shelf | None:
    """One recorded page as a shelf; None for one whose place in the list is not certain."""
    try:
        body = content_of(found.reply)
    except Miss:
        return None
    around = None
    if isinstance(body, dict) and isinstance(body.get("items"), list):
        if body.get("incomplete_results") is not False or type(body.get("total_count")) is not int:
            return None
        around, body = {name: value for name, value in body.items() if name != "items"}, body["items"]
    asked = endpoint_of(found.request).parameters
    size, page = size_and_page(asked)
    links = links_of(found.reply)
    if not isinstance(body, list) or len(body) > size or ("next" in links and len(body) != size):
        return None
    if any(not _is_page_of(address, asked) for address in links.values()):
        return None
    start = (page - 1) * size
    least, most = (start + len(body) if body else 0), None
    if "next" in links:
        least += 1
        last = _whole(dict(parse_qsl(urlsplit(links.get("last", "")).query)).get("page"))
        if last:
            least, most = max(least, (last - 1) * size + 1), last * size
    elif body or page == 1:
        most = least if len(body) < size or links else None
    else:
        most = start
    if around is not None:
        least = most = min(around["total_count"], _MOST_FOUND)
    address = next((without_query(one) for one in links.values()), None)
    return Shelf(dict(enumerate(body, start)), least, most, address, found.reply, around)


def _is_page_of(address: str, asked: Parameters) -> bool:
    """Whether an address is another page of the same question; lists that go on by a cursor have no numbered pages."""
    pairs = dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
    return {**pairs, "page": ""} == {**asked, "page": ""}


def _link(address: str, asked: Parameters, page: int, pages: int) -> str:
    places = [("prev", page - 1)] if page > 1 else []
    places += [("next", page + 1)] if page < pages else []
    places += [("last", pages)] if page != pages else []
    places += [("first", 1)] if page > 1 else []
    return ", ".join(f'<{address}?{urlencode({**asked, "page": number})}>; rel="{name}"' for name, number in places)


def _identity(item: Any) -> Any:
    """What tells an item from the others of its list: one that is there twice was recorded while the list moved."""
    if isinstance(item, dict):
        return next(
            ((name, item[name]) for name in ("sha", "id", "name") if isinstance(item.get(name), str | int)), None
        )
    return None


def _known(shelf: Shelf) -> str:
    known = len(shelf.first())
    return f"the first {known} items{' of ' + str(shelf.most) if shelf.most == shelf.least else ''}"


def _pages(items: int, size: int) -> int:
    return max(1, -(-items // size))


def _whole(text: str | None) -> int:
    """A whole number from 1 up; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0
