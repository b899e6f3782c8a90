"""The two sets of words: which one a request speaks, and that today's are the vendor's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.providers.x_api_word import POST, TWEET, USER_EXPANSIONS, USER_FIELDS, listed, words_of


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


def test_what_expansions_bring_along_can_be_asked_for() -> None:
    """Every expansion that is understood is one, and lists are read as the vendor writes them."""
    for words in (POST, TWEET):
        assert set(words.shows) <= words.expansions and words.to_referenced in words.shows
        assert words.always - words.fields <= {words.history}
    assert listed("") == () and listed("a,b") == ("a", "b")
