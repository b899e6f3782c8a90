"""Releases as a series: lists cut at a moment, what counts on, and which one is the latest."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.providers.github_release import is_still_so, latest, release_lists, was_so

NOW = 1_715_000_000  # 2024-05-06T12:53:20Z
LATER = NOW + 10**7


def release(number: int, at: str, **more: Any) -> dict[str, Any]:
    """A release of 2024, as far as anything looks at it."""
    moment = f"2024-{at}T00:00:00Z"
    return {"id": number, "tag_name": f"v{number}", "created_at": moment, "published_at": moment, "draft": False,
            "prerelease": False, "assets": [], **more}  # fmt: skip


def said(items: list[Any], at: int = LATER, query: str = "per_page=100", link: str = "") -> Recorded:
    """A recorded page."""
    headers = {"date": formatdate(at, usegmt=True)} | ({"link": link} if link else {})
    request = HttpRequest("GET", f"https://api.github.com/repos/a/b/releases?{query}")
    return Recorded(request, HttpReply(200, headers, canonical_bytes(items)))


OLD, NEW = release(1, "04-01"), release(2, "06-01")


def numbers(recordings: list[Recorded]) -> list[list[int]]:
    """The releases of every list as it was at ``NOW``."""
    return [[item["id"] for item in shelf.first()] for shelf in release_lists(recordings, NOW)]


def test_a_list_of_later_is_cut() -> None:
    """What was published since is gone; a list of before, or one that may go on, tells nothing of now."""
    assert numbers([said([NEW, OLD])]) == [[1]]
    assert numbers([said([OLD], NOW - 10**6)]) == []
    assert numbers([said([NEW, OLD], query="per_page=2")]) == []


def test_a_list_of_the_moment_is_as_it_is() -> None:
    """Whatever it holds was so."""
    assert numbers([said([OLD], NOW)])[0] == [1]


def test_pages_of_two_moments_are_two_lists() -> None:
    """Pages recorded a day apart are not put together."""
    address = "https://api.github.com/repositories/7/releases?per_page=1&page="
    first = said([NEW], query="per_page=1", link=f'<{address}2>; rel="next", <{address}2>; rel="last"')
    back = f'<{address}1>; rel="prev", <{address}1>; rel="first"'
    assert numbers([first, said([OLD], LATER + 60, "per_page=1&page=2", back)]) == [[1]]
    assert numbers([first, said([OLD], LATER + 86_400, "per_page=1&page=2", back)]) == []


def test_what_was_edited_or_counted_since_is_not_known() -> None:
    """An edit, a download or a reaction that may be newer than the moment spoils the release, and a list with it."""
    loaded = {"updated_at": "2024-04-02T00:00:00Z", "download_count": 0}
    assert was_so(release(1, "04-01", updated_at="2024-04-03T00:00:00Z", assets=[loaded]), NOW)
    for more in (
        {"updated_at": "2024-07-01T00:00:00Z"},
        {"assets": [{**loaded, "download_count": 4}]},
        {"assets": [{**loaded, "updated_at": "2024-07-01T00:00:00Z"}]},
        {"reactions": {"total_count": 1}},
        {"published_at": None},
    ):
        spoilt = release(1, "04-01", **more)
        assert not was_so(spoilt, NOW) and numbers([said([NEW, spoilt])]) == []
    assert not was_so(NEW, NOW)


def test_an_older_recording_holds_until_something_can_be_counted() -> None:
    """A release with files has a number of downloads, which has grown."""
    assert is_still_so(OLD) and not is_still_so(release(1, "04-01", assets=[{"download_count": 0}]))


def test_the_latest_is_told_only_where_nothing_speaks_against_it() -> None:
    """Newest by commit and by publication, and full; two that tie or disagree are nobody's choice."""
    early = release(3, "04-20", prerelease=True)
    assert latest([early, OLD]) == OLD
    assert latest([early]) is None and latest([]) is None
    patch = release(4, "05-02", created_at="2024-03-01T00:00:00Z")
    assert latest([patch, OLD]) is None
    assert latest([OLD, release(5, "04-01")]) is None
    assert latest([release(6, "05-01", created_at=None), OLD]) is None
