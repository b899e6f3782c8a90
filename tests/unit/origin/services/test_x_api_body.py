"""Bodies of the X API: fields one by one, what stands beside posts, what is said of what is missing."""

from __future__ import annotations

import pytest

from caia_replay.core.world import Post
from caia_replay.origin.services.x_api_body import Shape, iso, not_found
from caia_replay.origin.services.x_api_network import Network, User
from caia_replay.providers.x_api_word import POST, THROUGH, TWEET, Words

USERS = [User("Ada", "A", "b", 0, True, 5, 6), User("bo", "B", "", 50, False, 0, 0)]
POSTS = [
    Post("1", "Ada", "first #one", 10, "1", "", "en", 7, 8, 9),
    Post("2", "bo", "@ada @cy second", 60, "1", "1"),
    Post("3", "Ada", "third", 70, "77", "77"),
]


def shape(words: Words, fields: str = "", expansions: str = "", now: int = 99) -> Shape:
    """How things are told."""
    return Shape(Network(USERS, POSTS), words, frozenset(fields.split()), frozenset(), tuple(expansions.split()), now)


def test_moments_are_in_whole_seconds_with_three_zeros() -> None:
    """As the vendor writes them."""
    assert iso(1_714_521_601) == "2024-05-01T00:00:01.000Z"


@pytest.mark.parametrize("words", [POST, TWEET])
def test_fields_one_by_one(words: Words) -> None:
    """Each field tells its part of a post, in the words that were asked for, and nothing else is there."""
    told = shape(words, "lang public_metrics conversation_id created_at possibly_sensitive reply_settings").post(
        POSTS[0]
    )
    assert told == {
        "id": "1", "text": "first #one", words.history: ["1"], "lang": "en", "conversation_id": "1",
        "created_at": "1970-01-01T00:00:10.000Z", "possibly_sensitive": False, "reply_settings": "everyone",
        "public_metrics": {words.reposts: 8, "reply_count": 9, "like_count": 7, "quote_count": 0, "bookmark_count": 0,
                           "impression_count": 0},
    }  # fmt: skip
    assert shape(words, "lang").post(POSTS[2])["lang"] == "und"
    assert "geo" not in shape(words, "geo").post(POSTS[0])


def test_entities_name_accounts_that_are_there() -> None:
    """A mention bears the number of an account that exists by then; a text without entities has no such key."""
    told = shape(POST, "entities").post(POSTS[1])["entities"]
    assert told == {"mentions": [{"start": 0, "end": 4, "username": "ada", "id": USERS[0].id},
                                 {"start": 5, "end": 8, "username": "cy"}]}  # fmt: skip
    assert "entities" not in shape(POST, "entities").post(POSTS[2])
    assert shape(POST, "entities").post(POSTS[0])["entities"]["hashtags"][0]["tag"] == "one"


def test_what_stands_beside_posts() -> None:
    """Authors, answered authors and posts once each, in order; a post nobody wrote is an error."""
    told = shape(TWEET, "", f"author_id in_reply_to_user_id referenced_tweets.id {THROUGH}").around(POSTS)
    assert [one["username"] for one in told["includes"]["users"]] == ["Ada", "bo"]
    assert [one["id"] for one in told["includes"]["tweets"]] == ["1"]
    assert told["errors"] == [not_found("tweet", "referenced_tweets.id", "77")]
    assert shape(POST).around(POSTS) == {}
    assert shape(POST, "", "in_reply_to_user_id").post(POSTS[1])["in_reply_to_user_id"] == USERS[0].id
    assert "in_reply_to_user_id" not in shape(POST, "", "in_reply_to_user_id").post(POSTS[2])


def test_accounts_count_the_posts_of_the_moment() -> None:
    """In either set of words."""
    for words, now, count in ((POST, 69, 1), (TWEET, 70, 2)):
        made = Shape(Network(USERS, POSTS), words, frozenset(), frozenset({"public_metrics"}), (), now).user(USERS[0])
        assert made["public_metrics"][words.written] == count
