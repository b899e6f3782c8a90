"""Questions to the X API: families, words, and what of them is understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.x.request import Window, moment_of, question_of
from caia_replay.providers.x.word import POST, TWEET, USER_EXPANSIONS, USER_FIELDS, words_of
from tests.x_question import get

BOUND = st.none() | st.integers(0, 9)
WINDOWS = st.builds(Window, BOUND, BOUND, BOUND, BOUND)


@pytest.mark.parametrize(
    "one, other, together",
    [
        ("/users/7/tweets", "/users/7/tweets?max_results=5&start_time=2024-05-01T00:00:00Z&exclude=replies", True),
        ("/users/7/tweets", "/users/7/tweets?post.fields=lang&expansions=author_id&pagination_token=a", True),
        ("/users/7/tweets", "/users/8/tweets", False),
        ("/users/7/tweets", "/users/7/mentions", False),
        ("/users/7/tweets", "/users/7/tweets?tweet.fields=lang", False),
        ("/tweets/7", "/tweets?ids=8,9&post.fields=lang", True),
        ("/users/7", "/users/by/username/ada?user.fields=url", True),
        ("/users?ids=7", "/users/by?usernames=ada", True),
        ("/users/7", "/tweets/7", False),
        ("/tweets/search/recent?query=a", "/tweets/search/recent?query=b", False),
        ("/tweets/search/recent?query=a", "/tweets/search/recent?query=a&max_results=50", False),
        ("/users/me", "/users/7", False),
    ],
)
def test_families(one: str, other: str, together: bool) -> None:
    """Lists of one user, all posts, all users; each set of words apart; searches each alone; either host."""
    told = question_of(HttpRequest("GET", get(other).url.replace("api.x.com", "api.twitter.com")))
    assert (question_of(get(one)).family == told.family) is together


def test_the_same_question_in_other_order_is_the_same() -> None:
    """Fields in any order are the keys that are shown; an address that cannot be read is a miss."""
    path = "/users/7/tweets?post.fields=lang,geo"
    assert question_of(get(path)).is_as(question_of(get("/users/7/tweets?max_results=10&post.fields=geo,lang")))
    assert not question_of(get(path)).is_as(question_of(get("/users/7/tweets?post.fields=geo")))
    assert not question_of(get("/tweets?ids=1,2")).is_as(question_of(get("/tweets?ids=2,1")))
    told = question_of(get("/tweets/7?post.fields=lang&expansions=author_id,referenced_posts&user.fields=url"))
    assert told.fields == {"id", "text", "edit_history_post_ids", "lang", "author_id", "referenced_posts"}
    assert told.user_fields == {"id", "name", "username", "url"} and told.is_plain
    for path in ("/tweets/7?a=1&a=2", "/tweets/\ud800"):
        with pytest.raises(Miss):
            question_of(get(path))


@pytest.mark.parametrize(
    "path, bounded",
    [
        ("/users/7/tweets?max_results=4", True),
        ("/users/7/tweets?max_results=x", True),
        ("/users/7/tweets?post.fields=zodiac", True),
        ("/users/7/tweets?expansions=attachments.media_keys&media.fields=url", True),
        ("/users/7/tweets?exclude=all", False),
        ("/users/7/tweets?x=1", False),
        ("/users/7/tweets?since_id=1&start_time=2024-05-01T00:00:00Z", False),
        ("/users/7/tweets?until_id=1&end_time=2024-05-01T00:00:00Z", False),
        ("/users/7/tweets?start_time=2024-05-01T00:00:00.5Z", False),
        ("/users/7/tweets?start_time=2010-01-01T00:00:00Z", False),
        ("/users/7/tweets?end_time=2024-05-01T00:00:00Z&start_time=2024-05-02T00:00:00Z", False),
        ("/users/7/tweets?since_id=x", False),
        ("/users/x/tweets", True),
        ("/tweets?ids=1,1", True),
        ("/tweets?ids=", True),
        ("/users/7?expansions=pinned_post_id", True),
        ("/users/7?post.fields=lang", True),
        ("/tweets/search/recent?query=a", False),
    ],
)
def test_what_only_the_vendor_can_read_is_not_plain(path: str, bounded: bool) -> None:
    """Of some of these it is known at least which part of a list they are about."""
    told = question_of(get(path))
    assert not told.is_plain and told.is_bounded is bounded


@given(WINDOWS, WINDOWS, st.integers(0, 9), st.integers(0, 9))
def test_a_window_that_contains_another_holds_its_posts(wide: Window, small: Window, created: int, number: int) -> None:
    """And every window contains itself."""
    assert wide.contains(wide) and Window().contains(small)
    if wide.contains(small) and small.holds(created, number):
        assert wide.holds(created, number)


def test_moments_have_a_zone_and_whole_seconds() -> None:
    """Everything else is none."""
    assert moment_of("2024-05-01T00:00:01.000Z") == moment_of("2024-05-01T02:00:01+02:00") == 1_714_521_601
    odd = ("2024-05-01T00:00:01", "2024-05-01", "2024-05-01T00:00:01.5Z", "x", 5, None, "0001-01-01T00:00:00+23:00")
    for text in odd:
        assert moment_of(text) is None


@pytest.mark.real
def test_todays_words_are_those_of_the_description(real_data: Path) -> None:
    """Fields and expansions of posts and users are the described ones, no more and no fewer."""
    document = json.loads((real_data / "openapi" / "x-api-v2.json").read_text("utf-8"))
    known = {}
    for path in ("/2/users/{id}/tweets", "/2/users"):
        for item in document["paths"][path]["get"]["parameters"]:
            if "$ref" in item:
                item = document["components"]["parameters"][item["$ref"].rpartition("/")[2]]
            known[path, item["name"]] = set(item["schema"].get("items", {}).get("enum", ()))
    assert known["/2/users/{id}/tweets", "post.fields"] == POST.fields
    assert known["/2/users/{id}/tweets", "expansions"] == POST.expansions
    assert known["/2/users/{id}/tweets", "user.fields"] == USER_FIELDS
    assert known["/2/users", "expansions"] <= USER_EXPANSIONS


@pytest.mark.parametrize(
    "asked, old",
    [
        ({}, False),
        ({"post.fields": "lang"}, False),
        ({"tweet.fields": "lang"}, True),
        ({"expansions": "author_id"}, False),
        ({"expansions": "author_id,referenced_tweets.id"}, True),
        ({"expansions": "pinned_tweet_id"}, True),
        ({"expansions": "referenced_posts"}, False),
        ({"post.fields": "lang", "tweet.fields": "lang"}, True),
    ],
)
def test_a_request_shows_which_words_it_speaks(asked: dict[str, str], old: bool) -> None:
    """Older ones by any of them; today's where it shows none."""
    assert words_of(asked) is (TWEET if old else POST)
