"""Posts out of recorded replies: the service's own, whole; what is left out; any body."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Post
from caia_replay.origin.services.x_api import XApi
from caia_replay.providers.x_api import XApiProvider
from caia_replay.providers.x_api_post import posts_of
from tests.provider_law import recorded
from tests.x_network import END, draw_posts, draw_users
from tests.x_question import get

USERS = draw_users("corpus")
POSTS = draw_posts("corpus", USERS)
ITEM = {"id": "5", "text": "t", "created_at": "2024-05-01T00:00:00.000Z", "author_id": "7", "conversation_id": "4"}


def told(body: Any, status: int = 200) -> tuple[Post, ...]:
    """The posts of a body."""
    return posts_of(HttpReply(status, {}, body if isinstance(body, bytes) else canonical_bytes(body)))


@pytest.mark.parametrize("words", ["post.fields", "tweet.fields"])
def test_widened_timelines_show_the_services_own_posts(words: str) -> None:
    """Every post of every user with all its parts, in either set of words; also those that were answered."""
    asked = [get(f"/users/{user.id}/tweets?{words}=lang") for user in USERS]
    found: dict[str, Post] = {}
    for one in recorded(XApi(USERS, POSTS), XApiProvider(), asked, END):
        shown = posts_of(one.reply)
        assert [post.created for post in shown] == sorted(post.created for post in shown)
        found |= {post.id: post for post in shown}
    assert found == {post.id: post for post in POSTS}


def test_searches_and_lookups_show_theirs() -> None:
    """With authors beside them."""
    asked = [get("/tweets/search/all?query=vault"), get(f"/tweets/{POSTS[5].id}"), get(f"/users/{USERS[0].id}")]
    search, _, one, user = (posts_of(made.reply) for made in recorded(XApi(USERS, POSTS), XApiProvider(), asked, END))
    assert len(search) >= 100 and POSTS[5] in one and user == ()


def test_what_is_not_told_is_left_out_or_empty() -> None:
    """No date, no author beside it, no number: no post. No conversation, counts or language: empty."""
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    plain = Post("5", "ada", "t", 1_714_521_600, "4")
    assert told({"data": [ITEM], "includes": users}) == (plain,)
    assert told({"data": ITEM, "includes": users}) == (plain,)
    for name in ("created_at", "author_id", "text", "id"):
        assert told({"data": [{key: value for key, value in ITEM.items() if key != name}], "includes": users}) == ()
    assert told({"data": [ITEM]}) == told({"data": [ITEM], "includes": {"users": [{"id": "7"}]}}) == ()
    assert told({"data": [ITEM | {"id": "x"}], "includes": users}) == ()
    bare = {name: value for name, value in ITEM.items() if name != "conversation_id"}
    assert told({"data": [bare], "includes": users}) == (replace(plain, thread=""),)
    assert told({"data": [ITEM | {"lang": "und"}], "includes": users}) == (plain,)
    assert told({"data": [ITEM | {"created_at": "2024-05-01T00:00:00.731Z"}], "includes": users}) == (plain,)


def test_long_posts_quotes_and_odd_counts() -> None:
    """The whole text of a long post; a quote answers nothing; counts that are none are not told."""
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    odd = ITEM | {"note_tweet": {"text": "long"}, "referenced_tweets": [{"type": "quoted", "id": "3"}],
                  "public_metrics": {"like_count": "9", "retweet_count": 2, "reply_count": -1}}  # fmt: skip
    assert told({"data": [odd], "includes": users}) == (Post("5", "ada", "long", 1_714_521_600, "4", reposts=2),)


def test_other_replies_show_none() -> None:
    """A refusal, a page of something else, what is no JSON."""
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    assert told({"data": [ITEM], "includes": users}, 403) == told(b"<html>") == told([ITEM]) == told({"data": 5}) == ()


JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from(["5", "7", "ada", "2024-05-01T00:00:00.000Z", "\u0665"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["data", "includes", "users", "tweets", "posts", "username", "referenced_tweets", "note_post",
                         "public_metrics", *ITEM]), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_any_body_is_read(body: Any) -> None:
    """Nothing is raised whatever a reply holds."""
    assert all(isinstance(post, Post) for post in told(body))
