"""Recorded pages put together: what they prove of a list, and the Link header of a page made of them."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.github import GitHubProvider
from caia_replay.providers.github_page import (
    Shelf,
    links_of,
    made_of,
    page_from,
    read_page,
    shelf_of,
    shelves_of,
    size_and_page,
    without_query,
)

NAMED = "https://api.github.com/repos/a/b/tags"
NUMBERED = "https://api.github.com/repositories/7/tags"


def page(query: str, items: list[Any], **links: str) -> Recorded:
    """A recorded page; ``links`` are queries of its Link header."""
    link = ", ".join(f'<{NUMBERED}?{to}>; rel="{name}"' for name, to in links.items())
    reply = HttpReply(200, {"etag": "x", "server": "s"} | ({"link": link} if link else {}), canonical_bytes(items))
    return Recorded(HttpRequest("GET", f"{NAMED}?{query}"), reply)


def tags(*numbers: int) -> list[Any]:
    """Items with a name each, and a key nobody here knows."""
    return [{"name": f"v{number}", "extra": {"kept": number}} for number in numbers]


def told(recordings: list[Recorded], **asked: str) -> HttpReply:
    """A page out of recordings of one list."""
    shelf = shelf_of(recordings)
    assert shelf is not None
    return page_from(shelf, asked, NAMED, "a page")


FIRST = page("per_page=3", tags(1, 2, 3), next="per_page=3&page=2", last="per_page=3&page=3")
THIRD = page("per_page=3&page=3", tags(7, 8), prev="per_page=3&page=2", first="per_page=3&page=1")


def test_a_part_of_a_short_page_is_a_page() -> None:
    """A page that is not full is the whole list; parts of it lead on by the address that was asked for."""
    reply = told([page("per_page=100", tags(1, 2, 3, 4, 5))], per_page="2", page="2")
    assert strict_json(reply.body) == tags(3, 4)
    places = (("prev", 1), ("next", 3), ("last", 3), ("first", 1))
    assert reply.headers["link"] == ", ".join(f'<{NAMED}?per_page=2&page={at}>; rel="{name}"' for name, at in places)
    assert reply.headers["server"] == "s" and "etag" not in reply.headers and "date" not in reply.headers


def test_the_last_address_bounds_the_length() -> None:
    """Seven to nine items: with pages of three there are three; with pages of two it cannot be said."""
    assert links_of(told([FIRST], per_page="3"))["last"] == f"{NUMBERED}?per_page=3&page=3"
    assert links_of(told([FIRST], per_page="3")) == links_of(FIRST.reply)
    with pytest.raises(Miss, match="how many pages"):
        told([FIRST], per_page="2")
    with pytest.raises(Miss, match="the first 3 items"):
        told([FIRST], per_page="3", page="2")


def test_first_and_last_page_give_the_length() -> None:
    """With both, eight items are known to be there, and a page across the hole is a miss."""
    assert strict_json(told([FIRST, THIRD], per_page="2", page="4").body) == tags(7, 8)
    assert strict_json(told([FIRST, THIRD], per_page="2", page="1").body) == tags(1, 2)
    assert links_of(told([FIRST, THIRD], per_page="2", page="1"))["last"] == f"{NUMBERED}?per_page=2&page=4"
    with pytest.raises(Miss):
        told([FIRST, THIRD], per_page="2", page="2")
    assert strict_json(told([FIRST, THIRD], per_page="2", page="9").body) == []


def test_a_page_far_on_lies_in_its_place() -> None:
    """The fifth page of two begins with the ninth item."""
    far = page("per_page=2&page=5", tags(9), prev="per_page=2&page=4", first="per_page=2&page=1")
    shelf = shelf_of([far])
    assert shelf is not None and (dict(shelf.items), shelf.least, shelf.most) == ({8: tags(9)[0]}, 9, 9)


def test_a_full_page_without_link_proves_no_end() -> None:
    """A recorder may have dropped the header; a full page that leads back proves it."""
    with pytest.raises(Miss):
        told([page("per_page=3", tags(1, 2, 3))], per_page="1")
    full = page("per_page=3&page=2", tags(4, 5, 6), prev="per_page=3&page=1", first="per_page=3&page=1")
    assert strict_json(told([FIRST_OF_TWO, full], per_page="6").body) == tags(1, 2, 3, 4, 5, 6)


FIRST_OF_TWO = page("per_page=3", tags(1, 2, 3), next="per_page=3&page=2", last="per_page=3&page=2")


def test_pages_that_contradict_each_other_prove_nothing() -> None:
    """Another item in one place, one item in two places, or an end before the last item."""
    assert shelf_of([FIRST, page("per_page=3", tags(9, 2, 3), next="per_page=3&page=2")]) is None
    assert shelf_of([FIRST, page("per_page=3&page=2", tags(3, 4), prev="per_page=3&page=1")]) is None
    again = page("per_page=3&page=2", tags(3, 4, 5), next="per_page=3&page=3", last="per_page=3&page=3")
    assert shelf_of([FIRST, again]) is None
    assert shelf_of([page("per_page=100", tags(1)), FIRST]) is None
    assert shelf_of([]) is None


def test_pages_by_cursor_have_no_number() -> None:
    """Where the next address goes on by something else, the page's place is not known; nor where a page is short."""
    assert shelf_of([page("per_page=3", tags(1, 2, 3), next="per_page=3&page=2&after=Y3")]) is None
    assert shelf_of([page("per_page=3", tags(1, 2), next="per_page=3&page=2")]) is None
    body = Recorded(HttpRequest("GET", NAMED), HttpReply(200, {}, b"<html>"))
    assert shelf_of([body]) is None


def search(query: str, total: int, items: list[Any], is_short: bool = False) -> Recorded:
    """A recorded search result."""
    body = {"total_count": total, "incomplete_results": is_short, "items": items}
    return Recorded(HttpRequest("GET", f"https://api.github.com/search/repositories?{query}"),
                    HttpReply(200, {}, canonical_bytes(body)))  # fmt: skip


def test_a_search_says_how_many_there_are() -> None:
    """Its pages are parts of one list of so many, and what is beside the items stays."""
    reply = told([search("q=x&per_page=3", 5, tags(1, 2, 3))], q="x", per_page="1", page="2")
    assert strict_json(reply.body) == {"total_count": 5, "incomplete_results": False, "items": tags(2)}
    assert links_of(reply)["last"].endswith("q=x&per_page=1&page=5")
    assert shelf_of([search("q=x", 5, tags(1, 2, 3), is_short=True)]) is None
    assert shelf_of([search("q=x&per_page=3", 5, tags(1, 2, 3)), search("q=x&per_page=3&page=2", 6, tags(4))]) is None
    shelf = shelf_of([search("q=x&per_page=3", 4_000, tags(1, 2, 3))])
    assert shelf is not None and shelf.most == 1_000


def test_a_search_ends_with_the_thousandth_result() -> None:
    """The vendor refuses a page that begins behind it, in a long search and in a short one; the page across is cut."""
    first = [search("q=x&per_page=100", 5_000, tags(*range(100)))]
    for recordings in (first, [search("q=x", 2, tags(1, 2))]):
        with pytest.raises(Miss, match="refuses"):
            told(recordings, q="x", per_page="100", page="11")
    across = search("q=x&per_page=30&page=34", 5_000, tags(*range(10)))
    assert len(strict_json(told([across], q="x", per_page="30", page="34").body)["items"]) == 10


def test_addresses_that_cannot_be_read_place_no_page() -> None:
    """Such a Link header proves nothing of the page's place, and breaks nothing."""
    broken = HttpReply(200, {"link": '<http://[>; rel="next"'}, canonical_bytes(tags(1, 2, 3)))
    assert read_page(Recorded(HttpRequest("GET", f"{NAMED}?per_page=3"), broken)) is None
    assert read_page(page("page=x", tags(1))) is None
    assert without_query("http://[") == ""


def test_a_page_that_contradicts_begins_another_list() -> None:
    """In their order; a page that contradicts itself is none."""
    whole, again = page("per_page=9", tags(1, 2)), page("per_page=9", tags(3, 1, 2))
    pages = [one for found in (whole, again, page("per_page=9", tags(1, 1))) if (one := read_page(found)) is not None]
    assert [shelf.first() for shelf in shelves_of(pages)] == [tags(1, 2), tags(3, 1, 2)]


def test_a_shelf_knows_what_it_has() -> None:
    """The items from the beginning without a gap; whole only when they are all there are."""
    shelf = Shelf({0: "a", 1: "b", 3: "d"}, 4, 4, None, FIRST.reply)
    assert shelf.first() == ["a", "b"] and not shelf.is_whole
    assert shelf.having(["a"], True).is_whole and not shelf.having(["a"], False).is_whole


@pytest.mark.parametrize(
    ("asked", "size", "number"),
    [({}, 30, 1), ({"per_page": "500", "page": "2"}, 100, 2), ({"per_page": "0", "page": "0"}, 30, 1),
     ({"per_page": "9" * 5_000, "page": "999999999"}, 100, 999_999_999)],
)  # fmt: skip
def test_sizes_are_read_as_the_vendor_reads_them(asked: dict[str, str], size: int, number: int) -> None:
    """Thirty unless said, a hundred at most."""
    assert size_and_page(asked) == (size, number)


@pytest.mark.parametrize("text", ["x", "+2", "-1", "", "02", "1.0", "\u0662", "1\n"])
def test_what_is_no_plain_number_is_for_the_vendor_to_read(text: str) -> None:
    """Neither as a page nor as a size, and no page is made of it; nor of a page behind all counting."""
    assert (
        size_and_page({"page": text}) is size_and_page({"per_page": text}) is size_and_page({"page": "1" * 10}) is None
    )
    with pytest.raises(Miss, match="none that can be read"):
        told([FIRST], page=text)


def test_a_number_of_many_digits_is_no_first_page() -> None:
    """A size is a hundred at most; a page behind all counting is answered by its own recording alone."""
    whole, far = page("per_page=100", tags(*range(40))), page(f"page={10**10}", [])
    assert strict_json(told([whole], per_page=str(10**10)).body) == tags(*range(40))
    for number in (10**10, int("9" * 4_000)):
        with pytest.raises(Miss):
            told([whole], page=str(number))
    assert shelf_of([far]) is None
    dated = Recorded(far.request, HttpReply(200, {"date": "Mon, 06 May 2024 12:53:20 GMT"}, b"[]"))
    provider, plain = GitHubProvider(), HttpRequest("GET", NAMED)
    assert provider.narrow([dated], far.request, 1_715_000_000) is dated.reply
    with pytest.raises(Miss):
        provider.narrow([dated], plain, 1_715_000_000)
    assert provider.widen(far.request, 0)[1] is far.request and len(provider.widen(plain, 0)) == 1
    link = HttpReply(200, {"link": f'<{NAMED}?page={10**10}>; rel="next"'}, b"[]")
    assert provider.follow(plain, link) is None


def test_made_replies_keep_no_neighbours() -> None:
    """A reply made of a part drops Link, ETag and Date of the whole."""
    assert made_of({"a": 1}, FIRST.reply).headers == {"server": "s"}
    assert without_query("https://h/p?q=1#f") == "https://h/p"
