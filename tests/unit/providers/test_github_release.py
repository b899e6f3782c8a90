"""Releases as a series: lists cut at a moment, what counts on, and which one is the latest."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers import github_page
from caia_replay.providers.github import GitHubProvider
from caia_replay.providers.github_release import latest, release_lists, was_so

NOW = 1_715_000_000  # 2024-05-06T12:53:20Z
LATER = NOW + 10**7


def release(number: int, at: str, **more: Any) -> dict[str, Any]:
    """A release of 2024, as far as anything looks at it."""
    moment = f"2024-{at}T00:00:00Z"
    return {"id": number, "tag_name": f"v{number}", "created_at": moment, "published_at": moment, "draft": False,
            "updated_at": moment, "prerelease": False, "assets": [], **more}  # fmt: skip


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


def test_what_does_not_say_when_it_was_edited_may_have_been() -> None:
    """Without ``updated_at``, or with any stamp of later, a later text may be one of later."""
    unsaid = release(1, "04-01")
    del unsaid["updated_at"]
    for spoilt in (unsaid, release(1, "04-01", updated_at=None), release(1, "04-01", author={"seen_at": "2024-06-01"})):
        assert not was_so(spoilt, NOW) and numbers([said([NEW, spoilt])]) == []


def test_a_list_of_which_nothing_was_there_is_not_told() -> None:
    """The repository itself may have come later: an empty list is not made of one that is not."""
    assert numbers([said([NEW])]) == [] and numbers([said([])]) == []


def test_what_is_recorded_now_is_not_contradicted() -> None:
    """A whole list of now stands alone; parts of it must be in a later one as they are; later stamps make it later."""
    assert numbers([said([], NOW), said([NEW, OLD])]) == [[]]
    other = release(1, "04-01", body="edited")
    assert numbers([said([other], NOW, "per_page=1"), said([NEW, OLD])]) == [[1]]
    assert numbers([said([OLD], NOW, "per_page=1"), said([NEW, OLD])]) == [[1], [1]]
    soon = {**release(2, "05-06"), "published_at": "2024-05-06T12:58:20Z"}
    assert numbers([said([soon, OLD], NOW + 600)])[0] == [1]


def test_a_list_recorded_again_is_another_one() -> None:
    """Pages that contradict those before them begin another list, and spoil neither."""
    newer = release(3, "08-01")
    assert numbers([said([NEW, OLD]), said([newer, NEW, OLD], LATER + 60)])[0] == [1]
    assert numbers([said([newer, NEW, OLD], LATER + 60), said([1, 2]), said([NEW, OLD], LATER + 10)])[0] == [1]


def test_every_page_is_put_together_twice_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages of later there are: the work grows as they do."""
    taken: list[int] = []
    real = github_page._Pile.takes

    def counted(pile: github_page._Pile, shelf: github_page.Shelf) -> bool:
        taken.append(1)
        return real(pile, shelf)

    monkeypatch.setattr(github_page._Pile, "takes", counted)
    pages = [said([release(at, "04-01")], LATER + 40 * at, f"per_page=1&page={at}") for at in range(1, 101)]
    assert numbers(pages) == [] and len(taken) <= 3 * len(pages)


ONE = HttpRequest("GET", "https://api.github.com/repos/a/b/releases/tags/v1")


def told(*recordings: Recorded, request: HttpRequest = ONE) -> HttpReply:
    """What the provider answers out of recordings of one family."""
    return GitHubProvider().narrow(recordings, request, NOW)


def test_an_older_recording_of_a_release_tells_nothing_of_now() -> None:
    """It may have been fetched, liked, edited or deleted since; the same without a moment."""
    file = {"name": "bin", "download_count": 0, "updated_at": "2024-04-01T00:00:00Z"}
    for body in (release(1, "04-01", assets=[file]), release(1, "04-01", reactions={"total_count": 0}), OLD):
        listed = said([body], NOW - 10**6)
        single = Recorded(ONE, HttpReply(200, listed.reply.headers, canonical_bytes(body)))
        for found in (listed, single):
            undated = Recorded(found.request, HttpReply(200, {}, found.reply.body))
            for old in (found, undated):
                with pytest.raises(Miss):
                    told(old)
        later = Recorded(ONE, HttpReply(200, {"date": formatdate(LATER, usegmt=True)}, single.reply.body))
        assert told(single, later) is later.reply


def test_what_is_said_now_comes_before_what_was_said_before_or_later() -> None:
    """An edit that the list of now shows; and what the whole list of now has no more is deleted, hence a miss."""
    edited = release(1, "04-01", body="edited", updated_at="2024-05-05T00:00:00Z")
    for made in (NOW - 10**6, LATER):
        other = said([OLD], made)
        assert strict_json(told(other, said([edited], NOW)).body) == edited
        with pytest.raises(Miss):
            told(other, said([], NOW))


def test_a_release_is_named_by_a_whole_number_or_a_tag() -> None:
    """No number is nobody's number, and a draft has no tag yet."""
    nobody = HttpRequest("GET", "https://api.github.com/repos/a/b/releases/None")
    with pytest.raises(Miss):
        told(said([release(1, "04-01", id=None)], NOW), request=nobody)
    with pytest.raises(Miss):
        told(said([release(1, "04-01", draft=True)], NOW))


def test_the_latest_is_told_only_where_nothing_speaks_against_it() -> None:
    """Newest by commit and by publication, and full; two that tie or disagree are nobody's choice."""
    early = release(3, "04-20", prerelease=True)
    assert latest([early, OLD]) == OLD
    assert latest([early]) is None and latest([]) is None
    patch = release(4, "05-02", created_at="2024-03-01T00:00:00Z")
    assert latest([patch, OLD]) is None
    assert latest([OLD, release(5, "04-01")]) is None
    assert latest([release(6, "05-01", created_at=None), OLD]) is None
