"""The corpus: every recorded page and post once, as it was first recorded, and since when each page is known."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from caia_replay.cassette.cassette import Interaction
from caia_replay.core.world import Page, Post
from caia_replay.errors import Miss
from caia_replay.providers.plain_http.repository import file_history
from caia_replay.providers.reader.address import capture_url
from caia_replay.providers.reader.provider import page_reply, page_request

OUT = 1_000_000_000
DATED = Page("https://a.example/dated", "Dated", "A dated page.", OUT)
UNDATED = Page("https://b.example/undated", "Undated", "Some page.", None)
POST = Post("20", "ada", "First words.", 900, "20", likes=1)


def test_an_undated_page_is_first_seen_by_the_earliest_reply_or_list_that_shows_it(webbed, record) -> None:
    """Readings and result lists count alike; without a moment they tell nothing; dates stay what they are."""
    for made, first in (
        ([record.page(UNDATED)], None), ([record.page(UNDATED, 500), record.page(UNDATED, 300)], 300),
        ([record.page(UNDATED, 500), record.results("some", [UNDATED], 400)], 400),
        ([record.page(UNDATED, 500), record.results("some", [UNDATED])], 500),
        ([record.page(UNDATED), record.results("some", [UNDATED], 700)], 700),
    ):  # fmt: skip
        corpus = webbed([*made, record.page(DATED, OUT + 1_000)]).web.corpus
        assert {page.url: page.first_seen for page in corpus.pages} == {UNDATED.url: first, DATED.url: OUT + 1_000}
        assert corpus.first_seen.get(UNDATED.url) == first
        assert [page.known_since for page in corpus.pages] == [OUT, first]


def test_what_was_recorded_first_is_what_is_searched(webbed, record) -> None:
    """Of versions and counts the earliest; other shapes, refusals and strangers' lists are no pages."""
    later = Page(DATED.url, "Dated", "Another text.", OUT)
    more = Post("20", "ada", "First words.", 900, "20", likes=99)
    earlier = Post("3", "bob", "Before.", 900, "3")
    corpus = webbed(
        [
            record.page(later, OUT + 2_000),
            record.page(DATED, OUT + 1_000),
            record.posts("users/3/tweets", [more], 3_000),
            record.posts("users/2/tweets", [POST, earlier], 2_000),
            record.posts("tweets?ids=20", [more]),
        ]
    ).web.corpus
    assert [page.text for page in corpus.pages] == ["A dated page."]
    assert [(post.id, post.likes) for post in corpus.posts] == [("3", None), ("20", 1)]
    broken = Interaction("GET", "https://r.jina.ai/https://c.example/", b"", {}, 200, "", {}, b"<html>")
    world = webbed([record.page(DATED), record.page(UNDATED, status=404), broken, record.posts("openapi.json", [])])
    assert [page.url for page in world.corpus] == [DATED.url] and world.posts == ()
    assert world.web.corpus.broken == ("https://c.example/",)
    gone, somewhere = (
        kept(2, "Not archived."),
        Page("https://web.archive.org/web/2024/https://c.example/", "T", "x", OUT),
    )
    body = json.loads(page_reply(gone).body)
    body["data"]["warning"] = "Target URL returned error 404: Not Found"
    warned = Interaction("GET", page_request(gone.url).url, b"", {}, 200, "", {}, json.dumps(body).encode())
    bare = Interaction("GET", page_request(somewhere.url).url, b"", {}, 200, "", {}, page_reply(DATED).body)
    world = webbed([warned, bare, record.page(kept(3, ""), status=422)])
    assert (world.corpus, world.web.corpus.broken) == ((), (somewhere.url,))


def kept(day: int, text: str, published: int | None = None) -> Page:
    """What the reader made of a capture of DATED's address."""
    return Page(capture_url(DATED.url, f"2024050{day}000000"), "Kept", text, published)


def moment(day: int) -> int:
    """When ``kept`` was captured."""
    return 1_714_521_600 + (day - 1) * 86_400


def test_a_captured_page_is_known_by_its_own_address_once_and_from_its_capture_on(webbed, record) -> None:
    """In the words of the first recording, a reading or a capture; those of a capture are not there before it."""
    late = [
        record.page(kept(3, "Third.", OUT), 2_000_000_000),
        record.page(kept(2, "Second.", OUT - 100), 2_000_000_000),
    ]
    world = webbed([*late, record.results("kept", [DATED], 500)])
    (page,) = world.corpus
    assert (page.url, page.text, page.published, page.known_since) == (DATED.url, "Second.", OUT - 100, moment(2))
    assert world.web.corpus.first_seen == {DATED.url: 500}
    task = world.folder.task("mini6-supply")
    views = [world.task(replace(task, anchor=replace(task.anchor, timestamp=moment(2) + far))) for far in (-1, 0)]
    assert [len(view.pages()) for view in views] == [len(view.search("second", 9)) for view in views] == [0, 1]
    read = webbed([*late, record.page(DATED, moment(1))]).corpus
    assert [(page.text, page.known_since) for page in read] == [("A dated page.", OUT)]


def test_a_page_is_opened_as_it_was_captured(webbed, record) -> None:
    """DERIVED under its own address, HIT under the capture's; the last version by the moment counts."""
    world = webbed([record.page(kept(day, f"As on {day}.", OUT), 2_000_000_000) for day in (2, 3)])
    task = world.folder.task("mini6-supply")
    for now, day in ((moment(2) - 1, 0), (moment(2), 2), (moment(3) - 1, 2), (moment(3), 3)):
        view = world.task(replace(task, anchor=replace(task.anchor, timestamp=now)))
        if not day:
            with pytest.raises(Miss):
                view.page(DATED.url)
            continue
        page = view.page(DATED.url)
        assert (page.url, page.text, page.known_since) == (DATED.url, f"As on {day}.", OUT)
        assert view.answer(page_request(DATED.url))[1] == "DERIVED"
        assert view.answer(page_request(kept(2, "").url))[1] == "HIT" and view.page(kept(2, "").url).url == DATED.url
    with pytest.raises(Miss):
        world.task(replace(task, anchor=replace(task.anchor, timestamp=moment(3) - 1))).page(kept(3, "").url)
    world = webbed([record.page(kept(2, "Captured.", OUT), 2_000_000_000), record.page(DATED, moment(3))])
    task = world.folder.task("mini6-supply")
    for now, text, served in (
        (moment(2) - 1, DATED.text, "HIT"), (moment(2), "Captured.", "DERIVED"), (moment(3), DATED.text, "HIT"),
    ):  # fmt: skip
        view = world.task(replace(task, anchor=replace(task.anchor, timestamp=now)))
        assert (view.page(DATED.url).text, view.answer(page_request(DATED.url))[1]) == (text, served)


def test_a_repository_s_file_is_there_since_the_commit_it_is_unchanged_since(webbed, record) -> None:
    """By the host's own list, for every address of the same file; a refusal tells nothing."""
    url = "https://raw.githubusercontent.com/ada/rates/main/src/tariff%20a.json"
    file = Page(url, "", "{}", None)
    asked = file_history(url)
    rows = b'[{"commit": {"committer": {"date": "2001-09-09T01:46:40Z"}}}]'
    for status, body, first in ((200, rows, OUT), (200, b"[]", OUT + 900), (404, rows, OUT + 900)):
        listed = Interaction("GET", asked.url, b"", {}, status, "", {}, body)
        corpus = webbed([record.page(file, OUT + 900), listed]).web.corpus
        assert [page.first_seen for page in corpus.pages] == [first]
    assert webbed([Interaction("GET", asked.url, b"", {}, 200, "", {}, rows)]).web.corpus.first_seen.keys() >= {
        url, "https://github.com/ada/rates/blob/main/src/tariff%20a.json",
    }  # fmt: skip
