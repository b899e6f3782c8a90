from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.search.document import (
    LATEST,
    PAGES,
    POSTS,
    UNDATED,
    author_terms,
    page_document,
    page_order,
    post_document,
    post_order,
)

PAGE = Page("https://a.example/", "Title", "words", 20, "", "Ilse Varn", "en", 10)
POST = Post("12", "some_one", "words", 30, "12")


def test_a_page_is_dated_by_its_date_and_undated_by_its_first_sight():
    """Neither known, there is no moment, which the index holds before any other."""
    assert page_document(PAGE).moment == 20
    undated = Page("https://a.example/", "Title", "words", None, first_seen=10)
    assert page_document(undated).moment == 10
    never = page_document(Page("https://a.example/", "Title", "words", None))
    assert never.moment is None and never.stored_moment == UNDATED


@settings(max_examples=100, deadline=None)
@given(st.integers(-(2**80), 2**80), st.integers(-(2**80), 2**80))
def test_moments_keep_their_order_in_the_index(one, other):
    """Moments beyond what the index can hold are kept at its ends, and are never undated."""
    first, second = (page_document(Page("u", "", "", moment)).stored_moment for moment in sorted((one, other)))
    assert UNDATED < first <= second <= LATEST


def test_a_post_is_a_document_without_title():
    """Its address names author and id."""
    read = post_document(POST)
    assert (read.title, read.text, read.moment, read.author) == ("", "words", 30, "some_one")
    assert read.url == "https://x.com/some_one/status/12"


def test_authors_are_named_whole_or_by_a_word_of_their_name():
    """Case, an @ and white space do not count."""
    assert author_terms(" Ilse  Varn ") == ["ilse", "ilse varn", "varn"]
    assert author_terms("@Some_One") == ["some_one"]
    assert author_terms("") == []


def test_pages_stand_by_address_and_posts_newest_first():
    """The higher id is the newer of two posts of one second, whatever its number of digits."""
    pages = [Page(f"https://{name}.example/", "", "", None) for name in "bac"]
    assert [page.url[8] for page in sorted(pages, key=page_order)] == ["a", "b", "c"]
    posts = [Post(name, "a", "", created, "1") for name, created in (("9", 5), ("10", 5), ("1", 7), ("x", 5))]
    assert [post.id for post in sorted(posts, key=post_order)] == ["1", "10", "9", "x"]


def test_the_order_tells_any_two_apart():
    """Documents that differ in one field alone have different places."""
    pages = [PAGE, *(_with(PAGE, name, value) for name, value in (("title", "x"), ("text", "x"), ("published", None)))]
    pages += [_with(PAGE, name, "x") for name in ("url", "altered_by", "author", "language")]
    pages += [_with(PAGE, "first_seen", 11)]
    assert len({PAGES.order(page) for page in pages}) == len(pages) == 9
    posts = [_with(POST, name, 7) for name in ("created", "likes", "reposts", "replies")]
    posts += [
        _with(POST, name, "7") for name in ("id", "author", "text", "thread", "reply_to", "language", "altered_by")
    ]
    assert len({POSTS.order(post) for post in [POST, *posts]}) == 12


def _with(subject, name, value):
    return replace(subject, **{name: value})
