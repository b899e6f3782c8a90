"""Pages of a GitHub list put together again: which items are known, how many there are, and the Link header.

A list's length is known from its last page, or, to within a page, from the ``last`` address of any Link header. A full
page without a Link header proves nothing: some recorders drop headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import content_of, derived, endpoint_of

MOST_ON_A_PAGE: Final = 100
_ON_A_PAGE: Final = 30
_MOST_FOUND: Final = 1_000
"""A search leads to no more results than these, however many there are."""
_TOO_MANY: Final = 10**9
"""What the vendor makes of a page of so high a number is not known."""
_NUMBER: Final = re.compile(r"0|[1-9][0-9]*")
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


@dataclass(slots=True)
class _Pile:
    """Pages of one list, put together one by one."""

    items: dict[int, Any] = field(default_factory=dict)
    placed: dict[Any, int] = field(default_factory=dict)
    """The place of every item that can be told from the others."""
    least: int = 0
    most: int | None = None
    first: Shelf | None = None
    address: str | None = None

    def takes(self, page: Shelf) -> bool:
        """Add a page; where it contradicts the others, or itself, it is left out and the answer is no."""
        least = max(self.least, page.least, *(place + 1 for place in page.items))
        most = page.most if self.most is None else self.most if page.most is None else min(self.most, page.most)
        if (most is not None and least > most) or (self.first is not None and self.first.around != page.around):
            return False
        placed: dict[Any, int] = {}
        for place, item in page.items.items():
            identity = _identity(item)
            if self.items.get(place, item) != item or (
                identity is not None
                and (self.placed.get(identity, place) != place or placed.setdefault(identity, place) != place)
            ):
                return False
        self.items.update(page.items)
        self.placed.update(placed)
        self.least, self.most = least, most
        self.first, self.address = self.first or page, self.address or page.address
        return True

    def shelf(self) -> Shelf | None:
        """What the pages say together; None where there are none."""
        if self.first is None:
            return None
        return Shelf(self.items, self.least, self.most, self.address, self.first.like, self.first.around)


def shelf_of(recordings: Iterable[Recorded]) -> Shelf | None:
    """What recorded pages of one list say together; None when there are none, or when they contradict each other."""
    pile = _Pile()
    pages = (page for found in recordings if (page := read_page(found)) is not None)
    return pile.shelf() if all(pile.takes(page) for page in pages) else None


def shelves_of(pages: Iterable[Shelf]) -> Iterator[Shelf]:
    """The lists that pages tell in their order: one that contradicts those before it begins another list."""
    pile = _Pile()
    for page in pages:
        if not pile.takes(page):
            if (shelf := pile.shelf()) is not None:
                yield shelf
            pile = _Pile()
            pile.takes(page)
    if (shelf := pile.shelf()) is not None:
        yield shelf


def page_from(shelf: Shelf, asked: Parameters, address: str, wanted: str) -> HttpReply:
    """The page of a list that is asked for, with its Link header.

    ``address`` is where the question went; the Link header's addresses begin with it where no recording had others.
    Raises ``Miss`` (for ``wanted``) where items or the number of pages are not known.
    """
    sized = size_and_page(asked)
    if sized is None:
        raise Miss("http", wanted, f"page or size is none that can be read; of that list: {_known(shelf)}")
    size, page = sized
    start = (page - 1) * size
    if shelf.around is not None and start >= _MOST_FOUND:
        raise Miss("http", wanted, f"the vendor refuses what lies behind the first {_MOST_FOUND} results")
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


def size_and_page(asked: Parameters) -> tuple[int, int] | None:
    """How many items a page has, and which page it is, counted from 1; None where that is for the vendor to read."""
    size, page = _whole(asked.get("per_page")), _whole(asked.get("page"))
    if size is None or page is None or page >= _TOO_MANY:
        return None
    return min(size or _ON_A_PAGE, MOST_ON_A_PAGE), page or 1


def links_of(reply: HttpReply) -> dict[str, str]:
    """The addresses of a Link header by their names (next, prev, first, last)."""
    return {name: address for address, name in _LINK.findall(reply.headers.get("link", ""))}


def without_query(address: str) -> str:
    """``https://host/path`` of an address; nothing for one that cannot be read."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def read_page(found: Recorded) -> Shelf | None:
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
    sized, links = size_and_page(asked), links_of(found.reply)
    if sized is None:
        return None
    size, page = sized
    if not isinstance(body, list) or len(body) > size or ("next" in links and len(body) != size):
        return None
    if any(not _is_page_of(address, asked) for address in links.values()):
        return None
    start = (page - 1) * size
    least, most = (start + len(body) if body else 0), None
    if "next" in links:
        least += 1
        last = _whole((_query(links.get("last", "")) or {}).get("page"))
        if last and last < _TOO_MANY:
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
    pairs = _query(address)
    return pairs is not None and {**pairs, "page": ""} == {**asked, "page": ""}


def _query(address: str) -> dict[str, str] | None:
    """An address's parameters; None for one that cannot be read."""
    try:
        return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
    except ValueError:
        return None


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


def _whole(text: str | None) -> int | None:
    """A whole number, at most ``_TOO_MANY``; 0 where none is given, None for what is not plainly one."""
    if text is None:
        return 0
    if not _NUMBER.fullmatch(text):
        return None
    return int(text) if len(text) < len(str(_TOO_MANY)) else _TOO_MANY
