"""GitHub's lists, pages, places, moments and releases: tables of what recorded parts prove and what they do not."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.providers.github_moment import is_current, is_of_later, moment_of
from caia_replay.providers.github_page import shelf_of, size_and_page
from caia_replay.providers.github_release import latest, release_lists, was_so

API = "https://api.github.com"
NOW = 1_715_000_000  # 2024-05-06T12:53:20Z
LATER = NOW + 10**7
SOON = "2024-05-06T12:53:21Z"
NAMED, NUMBERED = f"{API}/repos/a/b/tags", f"{API}/repositories/7/tags"


def test_sizes_and_moments_are_read_as_the_vendor_reads_them() -> None:
    """Thirty unless said, a hundred at most, plain numbers; a moment has a zone."""
    assert moment_of("2024-05-06T12:53:20Z") == moment_of("2024-05-06T14:53:20+02:00") == NOW
    for text in ("2024-05-06T12:53:20", "2024-05-06", None, "", [1], "9" * 30):
        assert moment_of(text) is None
    assert size_and_page({}) == size_and_page({"per_page": "0", "page": "0"}) == (30, 1)
    assert size_and_page({"per_page": "500", "page": "2"}) == (100, 2)
    assert size_and_page({"per_page": "9" * 5_000, "page": "9" * 9}) == (100, 999_999_999)
    for text in ("x", "+2", "-1", "", "02", "1.0", "\u0662", "1\n"):
        assert size_and_page({"page": text}) is size_and_page({"per_page": text}) is None
    assert size_and_page({"page": "1" * 10}) is None


def test_a_recording_of_now_has_no_stamp_of_later() -> None:
    """Within a quarter of an hour of its Date, and nothing in it dated behind now, however deep and spelt."""

    def current(body: Any, at: int | None = NOW + 600, **more: str) -> bool:
        headers = more | ({} if at is None else {"date": formatdate(at, usegmt=True)})
        content = body if isinstance(body, bytes) else canonical_bytes(body)
        return is_current(Recorded(HttpRequest("GET", NAMED), HttpReply(200, headers, content)), NOW)

    assert [current({"id": 1}, at) for at in (NOW - 901, NOW - 900, NOW + 900, NOW + 901, None)] == [
        False, True, True, False, False]  # fmt: skip
    for stamp in (SOON, "2024-05-06 12:53:21+00:00", "2024-05-06T12:53:21", "2024-05-07", "2024-05-06T12:53:20.5Z"):
        assert not current({"a": [{"b": {"updated_at": stamp}}]}) and not current({"date": stamp})
    assert current({"a": {"pushed_at": "2024-05-06T12:53:20Z"}, "expires_at": SOON, "body": f'"updated_at": "{SOON}"'})
    assert not current(f'{{"updated_at" : "{SOON}"}}'.replace("u", "\\u0075", 1).encode())
    assert [current({}, **{"last-modified": formatdate(NOW + at, usegmt=True)}) for at in (0, 1)] == [True, False]
    assert current({"commit": {"date": SOON}}, NOW) and not current({"updated_at": SOON}, NOW - 1)
    assert is_of_later({"a": [{"date": SOON}]}, NOW) and not is_of_later({"n_at": 5}, NOW)


def page(query: str, items: Any, **links: str) -> Recorded:
    """A recorded page; ``links`` are queries of its Link header."""
    link = ", ".join(f'<{NUMBERED}?{to}>; rel="{name}"' for name, to in links.items())
    reply = HttpReply(200, {"etag": "x", "server": "s"} | ({"link": link} if link else {}), canonical_bytes(items))
    return Recorded(HttpRequest("GET", f"{NAMED}?{query}"), reply)


FIRST = page("per_page=3", ["1", "2", "3"], next="per_page=3&page=2", last="per_page=3&page=3")


@pytest.mark.parametrize(
    "pages",
    [
        [FIRST, page("per_page=3", ["9", "2", "3"], next="per_page=3&page=2")],
        [FIRST, page("per_page=3&page=2", ["3", "4"], prev="per_page=3&page=1")],
        [page("per_page=100", ["1"]), FIRST],
        [],
        [page("per_page=3", ["1", "2", "3"], next="per_page=3&page=2&after=Y3")],
        [page("per_page=3", ["1", "2"], next="per_page=3&page=2")],
        [page("page=x", ["1"])],
        [page(f"page={10**10}", [])],
        [page("q=x", {"total_count": 2, "incomplete_results": True, "items": ["1", "2"]})],
    ],
)
def test_pages_that_prove_nothing(pages: list[Recorded]) -> None:
    """Contradictions, cursors without a number, pages that are short and go on, and searches cut short."""
    assert shelf_of(pages) is None


def release(number: int, at: str, **more: Any) -> dict[str, Any]:
    """A release of 2024, as far as anything looks at it."""
    moment = f"2024-{at}T00:00:00Z"
    return {"id": number, "tag_name": f"v{number}", "created_at": moment, "published_at": moment, "draft": False,
            "updated_at": moment, "prerelease": False, "assets": [], **more}  # fmt: skip


def numbers(*lists: tuple[list[Any], int, str]) -> list[list[int]]:
    """The releases of every recorded list as it was at ``NOW``."""
    found = [Recorded(HttpRequest("GET", f"{API}/repos/a/b/releases?{query}"),
                      HttpReply(200, {"date": formatdate(at, usegmt=True)}, canonical_bytes(items)))
             for items, at, query in lists]  # fmt: skip
    return [[item["id"] for item in shelf.first()] for shelf in release_lists(found, NOW)]


OLD, NEW = release(1, "04-01"), release(2, "06-01")
LOADED = {"updated_at": "2024-04-02T00:00:00Z", "download_count": 0}


def test_a_list_of_later_is_cut() -> None:
    """What was published since is gone; lists of before, that may go on or have nothing left tell nothing of now."""
    full = "per_page=100"
    assert numbers(([NEW, OLD], LATER, full)) == [[1]] and numbers(([OLD], NOW, full))[0] == [1]
    for items, at, query in (([OLD], NOW - 10**6, full), ([NEW, OLD], LATER, "per_page=2"), ([NEW], LATER, full)):
        assert numbers((items, at, query)) == []
    assert numbers(([], NOW, full), ([NEW, OLD], LATER, full)) == [[]]
    edited = release(1, "04-01", body="edited")
    assert numbers(([edited], NOW, "per_page=1"), ([NEW, OLD], LATER, full)) == [[1]]
    assert numbers(([OLD], NOW, "per_page=1"), ([NEW, OLD], LATER, full)) == [[1], [1]]


@pytest.mark.parametrize(
    "more",
    [
        {"updated_at": "2024-07-01T00:00:00Z"},
        {"assets": [{**LOADED, "download_count": 4}]},
        {"assets": [{**LOADED, "updated_at": "2024-07-01T00:00:00Z"}]},
        {"reactions": {"total_count": 1}},
        {"published_at": None},
        {"updated_at": None},
        {"author": {"seen_at": "2024-06-01"}},
    ],
)
def test_what_was_edited_or_counted_since_is_not_known(more: dict[str, Any]) -> None:
    """An edit, a download or a reaction that may be newer than the moment spoils the release, and a list with it."""
    assert was_so(release(1, "04-01", updated_at="2024-04-03T00:00:00Z", assets=[LOADED]), NOW) and not was_so(NEW, NOW)
    spoilt = release(1, "04-01", **more)
    assert not was_so(spoilt, NOW) and numbers(([NEW, spoilt], LATER, "per_page=100")) == []


def test_the_latest_is_told_only_where_nothing_speaks_against_it() -> None:
    """Newest by commit and by publication, and full; two that tie or disagree are nobody's choice."""
    early, patch = release(3, "04-20", prerelease=True), release(4, "05-02", created_at="2024-03-01T00:00:00Z")
    assert latest([early, OLD]) == OLD and latest([early]) is None
    for other in (patch, release(5, "04-01"), release(6, "05-01", created_at=None)):
        assert latest([other, OLD]) is None
