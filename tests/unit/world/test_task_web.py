"""The web at a task's moment: windows by its clock, paging, and nothing of later on any way in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.errors import Miss, ToolError
from caia_replay.world.overlay import NO_OVERLAY
from caia_replay.world.world import FrozenWorld, TaskWorld

HOUR, DAY, YEAR = 3_600, 86_400, 365 * 86_400
NOW = 1_700_000_000
AGES = (-DAY, -1, 0, 90, 2 * HOUR, 3 * DAY, 20 * DAY, 2 * YEAR)
DATED = [Page(f"https://a.example/{age}", f"Bridge {age}", "The bridge fee.", NOW - age) for age in AGES]
UNDATED = [Page(f"https://b.example/{age}", f"Bridge {age}", "The bridge fee.", None) for age in AGES]
UNKNOWN = Page("https://c.example/", "Bridge", "The bridge fee.", None)
POSTS = [Post(str(1_000 + at), "ada", "bridge fee", NOW - age, str(1_000 + at)) for at, age in enumerate(AGES)]


@pytest.fixture(scope="module")
def opened() -> dict[str, FrozenWorld]:
    """The one world of this file, kept by whoever opens it first."""
    return {}


@pytest.fixture
def at(webbed, record, opened: dict[str, FrozenWorld]):
    """The web as a task sees it that is asked at a moment."""
    if "world" not in opened:
        lists = [record.results(page.title, [page], NOW - age) for page, age in zip(UNDATED, AGES)]
        read = [record.page(page, NOW + YEAR) for page in (*DATED, *UNDATED)]
        posts = record.posts("users/1/tweets", POSTS, NOW + YEAR)
        opened["world"] = webbed([*lists, *read, record.page(UNKNOWN), posts])
    world = opened["world"]
    task = world.folder.task("mini6-supply")
    return lambda now: TaskWorld(world, replace(task, anchor=replace(task.anchor, timestamp=now)), NO_OVERLAY)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(NOW - 3 * YEAR, NOW + 2 * DAY) | st.sampled_from([NOW - age + late for age in AGES for late in (-1, 0)])
)
def test_nothing_of_later_is_reached_on_any_way(at, now: int) -> None:
    """Lists, searches, pages, posts: by date, undated by the list that showed it first, and never the unknown one."""
    view = at(now)
    there = {page.url for pages in (DATED, UNDATED) for page, age in zip(pages, AGES) if NOW - age <= now}
    written = {post.id for post in POSTS if post.created <= now}
    assert {page.url for page in view.pages()} == {found.page.url for found in view.search("bridge", 99)} == there
    assert {post.id for post in view.posts()} == {found.post.id for found in view.search_posts("bridge", 99)} == written
    for page in (*DATED, *UNDATED, UNKNOWN):
        if page.url in there:
            found = view.page(page.url)
            assert (found.text, found.published) == (page.text, page.published) and (found.known_since or 0) <= now
        else:
            with pytest.raises(Miss):
                view.page(page.url)
    for post in POSTS:
        if post.id in written:
            assert view.post(post.id) == post
        else:
            with pytest.raises(Miss):
                view.post(post.id)


@pytest.mark.parametrize(
    ("tbs", "ages"),
    [
        ("", [0, 90, 2 * HOUR, 3 * DAY, 20 * DAY, 2 * YEAR]), ("qdr:h", [0, 90]), ("qdr:d", [0, 90, 2 * HOUR]),
        ("qdr:w", [0, 90, 2 * HOUR, 3 * DAY]), ("qdr:m", [0, 90, 2 * HOUR, 3 * DAY, 20 * DAY]),
        ("cdr:1,cd_min:11/11/2023,cd_max:11/11/2023", [3 * DAY]),
    ],
)  # fmt: skip
def test_windows_mean_the_worlds_clock(at, tbs: str, ages: list[int]) -> None:
    """The past hour is the hour before the task's moment, for pages, undated pages and posts alike."""
    view = at(NOW)
    wanted = {page.url for pages in (DATED, UNDATED) for page, age in zip(pages, AGES) if age in ages}
    assert {found.page.url for found in view.search("bridge", 99, tbs=tbs)} == wanted
    posts = {post.id for post, age in zip(POSTS, AGES) if age in ages}
    assert {found.post.id for found in view.search_posts("bridge", 99, tbs=tbs)} == posts
    with pytest.raises(ToolError, match="'tomorrow' is no window"):
        view.search("bridge", 9, tbs="tomorrow")


def test_results_go_on_behind_an_offset(at) -> None:
    """Parts joined are the whole list, newest first is by moment alone; a miss says why a page is not shown."""
    view = at(NOW)
    whole = view.search("bridge", 50)
    assert whole == view.search("bridge", 5) + view.search("bridge", 45, offset=5) and len(whole) == 12
    newest = view.search_posts("bridge fee", 9, newest_first=True)
    assert [found.post.created for found in newest] == sorted((found.post.created for found in newest), reverse=True)
    view = at(NOW)
    for page, why in (
        (DATED[0], "not out yet"), (UNDATED[0], "first seen at 2023-11-15"),
        (UNKNOWN, "nothing recorded says since when"),
    ):  # fmt: skip
        with pytest.raises(Miss, match=why):
            view.page(page.url)


def test_a_page_is_what_was_recorded_last_however_often_it_is_read(webbed, record) -> None:
    """Of three recordings the last by the moment; without posts a search for them is a miss."""
    versions = [Page("https://a.example/", "Bridge", f"Version {at_}.", None) for at_ in range(3)]
    world = webbed([record.page(page, NOW + at_ * DAY) for at_, page in enumerate(versions)])
    task = world.folder.task("mini6-supply")
    for at_, told in ((0, 0), (1, 0), (DAY, 1), (2 * DAY - 1, 1), (9 * DAY, 2)):
        view = world.task(replace(task, anchor=replace(task.anchor, timestamp=NOW + at_)))
        pages = [view.page("https://a.example/") for _ in range(4)]
        assert {(page.text, page.first_seen) for page in pages} == {(f"Version {told}.", NOW)}
        assert [found.page.text for found in view.search("bridge", 5)] == ["Version 0."]
    world = webbed(map(record.page, DATED))
    with pytest.raises(Miss, match="has no posts"):
        world.task(world.folder.task("mini6-supply")).search_posts("bridge", 5)
