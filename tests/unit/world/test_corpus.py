"""The corpus: every recorded page and post once, as it was first recorded, and since when each page is known."""

from __future__ import annotations

from caia_replay.cassette.cassette import Interaction
from caia_replay.core.world import Page, Post

DATED = Page("https://a.example/dated", "Dated", "A dated page.", 1_000)
UNDATED = Page("https://b.example/undated", "Undated", "Some page.", None)
POST = Post("20", "ada", "First words.", 900, "20", likes=1)


def test_an_undated_page_is_first_seen_by_the_earliest_reply_or_list_that_shows_it(webbed, record) -> None:
    """Readings and result lists count alike; without a moment they tell nothing; dates stay what they are."""
    for made, first in (
        ([record.page(UNDATED)], None),
        ([record.page(UNDATED, 500), record.page(UNDATED, 300)], 300),
        ([record.page(UNDATED, 500), record.results("some", [UNDATED], 400)], 400),
        ([record.page(UNDATED, 500), record.results("some", [UNDATED])], 500),
        ([record.page(UNDATED), record.results("some", [UNDATED], 700)], 700),
    ):
        corpus = webbed([*made, record.page(DATED, 2_000)]).web.corpus
        assert {page.url: page.first_seen for page in corpus.pages} == {UNDATED.url: first, DATED.url: 2_000}
        assert corpus.first_seen.get(UNDATED.url) == first
        assert [page.known_since for page in corpus.pages] == [1_000, first]


def test_what_was_recorded_first_is_what_is_searched(webbed, record) -> None:
    """Of a page's versions and of a post's counts the earliest, whatever their order in the file."""
    later = Page(DATED.url, "Dated", "Another text.", 1_000)
    more = Post("20", "ada", "First words.", 900, "20", likes=99)
    earlier = Post("3", "bob", "Before.", 900, "3")
    corpus = webbed(
        [
            record.page(later, 3_000),
            record.page(DATED, 2_000),
            record.posts("users/3/tweets", [more], 3_000),
            record.posts("users/2/tweets", [POST, earlier], 2_000),
            record.posts("tweets?ids=20", [more]),
        ]
    ).web.corpus
    assert [page.text for page in corpus.pages] == ["A dated page."]
    assert [(post.id, post.likes) for post in corpus.posts] == [("3", None), ("20", 1)]


def test_what_is_no_page_spoils_no_other(webbed, record) -> None:
    """Replies of another shape, refusals and strangers' lists are no pages; the broken ones are named."""
    broken = Interaction("GET", "https://r.jina.ai/https://c.example/", b"", {}, 200, "", {}, b"<html>")
    world = webbed([record.page(DATED), record.page(UNDATED, status=404), broken, record.posts("openapi.json", [])])
    assert [page.url for page in world.corpus] == [DATED.url] and world.posts == ()
    assert world.web.corpus.broken == ("https://c.example/",)
