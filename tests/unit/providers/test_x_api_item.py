"""X's posts and users: what a recording tells of another moment, and posts out of any reply."""

from __future__ import annotations

import json
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.world import Post
from caia_replay.errors import Miss
from caia_replay.providers.x.item import (
    ParsedReply,
    Pool,
    items_of,
    posts_of,
    read,
    shows_later,
    was_as_told,
    was_edited_since,
)
from caia_replay.providers.x.provider import XApiProvider
from caia_replay.providers.x.request import question_of
from caia_replay.providers.x.word import POST
from caia_worldgen.services.x_api import XApi
from tests.later_law import turned_by_all
from tests.provider_law import recorded
from tests.x_network import END, draw_posts, draw_users
from tests.x_question import get

NOW = 1_715_000_000
PATH = "/tweets?ids=1,2&post.fields=created_at,lang&expansions=author_id,referenced_posts"
FIRST = {"id": "1", "text": "a", "edit_history_post_ids": ["1"], "created_at": "2024-05-01T00:00:00.000Z",
         "author_id": "7", "lang": "en"}  # fmt: skip
SECOND = FIRST | {"id": "2", "referenced_posts": [{"type": "replied_to", "id": "1"}, {"type": "quoted", "id": "9"}]}
USER = {"id": "7", "name": "A", "username": "a"}
LOST = {"parameter": "referenced_posts", "resource_id": "9", "title": "Not Found Error"}
BODY = {"data": [SECOND], "includes": {"users": [USER], "posts": [FIRST]}, "errors": [LOST]}


def told(body: Any, at: int | None = NOW, path: str = PATH, status: int = 200) -> ParsedReply | None:
    """One recorded reply, read."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    content = body if isinstance(body, bytes) else canonical_bytes(body)
    return read(question_of(get(path)), Recorded(get(path), HttpReply(status, dated, content)))


def pool(path: str, *tellings: ParsedReply | None, now: int = NOW, is_of_now: bool = True) -> Pool:
    """What recordings tell of for a question."""
    made = Pool(question_of(get(path)))
    for one in tellings:
        assert one is not None
        made.add(one, now, is_of_now)
    return made


def test_a_reply_is_read_whole_or_not_at_all() -> None:
    """What it is about and what stands beside it; nothing of refusals, undated replies and what is no JSON."""
    found = told(BODY)
    assert found is not None and (found.posts, found.other_posts) == ((SECOND,), (FIRST,))
    assert (found.other_users, found.errors, found.users, found.meta) == ((USER,), (LOST,), (), None)
    single = told({"data": USER}, path="/users/7")
    assert single is not None and single.users == (USER,) and not single.posts
    for bad in (told(BODY, None), told(BODY, status=400), told(b"<html>"), told([])):
        assert bad is None
    assert items_of("x") == items_of([{"id": 5}, 7, None]) == ()


def test_of_a_later_recording_words_are_taken_and_counts_and_accounts_are_not() -> None:
    """Only posts that were there and never edited, in fields that do not change."""
    later = told(BODY, NOW + 10**6)
    made = pool("/tweets/1?post.fields=lang", later, is_of_now=False)
    assert set(made.posts) == {"1", "2"} and not made.users and not made.missing
    wide = told(BODY, NOW + 10**6, PATH.replace("lang", "lang,public_metrics"))
    assert not pool("/tweets/1?post.fields=public_metrics", wide, is_of_now=False).posts
    assert set(pool("/tweets/1?post.fields=lang", wide, is_of_now=False).posts) == {"1", "2"}
    early = 1_714_500_000
    assert not pool("/tweets/1?post.fields=lang", later, now=early, is_of_now=False).posts


def test_edited_posts() -> None:
    """More versions than one, or an unknown number, may hide another; a date of after now anywhere shows later."""
    found = told(BODY, NOW + 60)
    assert found is not None and not shows_later(found, NOW) and shows_later(found, 1_714_500_000)
    bare = {"data": [{"id": "1", "text": "a"}]}
    for at, later in ((NOW + 60, True), (NOW - 60, False)):
        undated = told(bare, at)
        assert undated is not None and shows_later(undated, NOW) is later
    assert was_as_told(FIRST, POST, NOW) and not was_as_told(FIRST, POST, 1_714_500_000)
    for history in (["0", "1"], None, "1"):
        edited = FIRST | {"edit_history_post_ids": history}
        assert not was_as_told(edited, POST, NOW)
        for at, hides in ((NOW + 60, history != "1"), (NOW - 60, False)):
            found = told({"data": [edited]}, at)
            assert found is not None and was_edited_since(found, NOW) is hides
    fresh = told({"data": [FIRST]}, NOW + 60)
    assert fresh is not None and not was_edited_since(fresh, 1_714_500_000)


USERS = draw_users("corpus")
POSTS = draw_posts("corpus", USERS)
ITEM = {"id": "5", "text": "t", "created_at": "2024-05-01T00:00:00.000Z", "author_id": "7", "conversation_id": "4"}


def post_told(body: Any, status: int = 200) -> tuple[Post, ...]:
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


def test_what_is_not_told_is_left_out_or_empty() -> None:
    """No date, no author beside it, no number: no post. No conversation, counts or language: empty."""
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    plain = Post("5", "ada", "t", 1_714_521_600, "4")
    assert post_told({"data": [ITEM], "includes": users}) == (plain,)
    assert post_told({"data": ITEM, "includes": users}) == (plain,)
    for name in ("created_at", "author_id", "text", "id"):
        assert (
            post_told({"data": [{key: value for key, value in ITEM.items() if key != name}], "includes": users}) == ()
        )
    assert post_told({"data": [ITEM]}) == post_told({"data": [ITEM], "includes": {"users": [{"id": "7"}]}}) == ()
    assert post_told({"data": [ITEM | {"id": "x"}], "includes": users}) == ()
    bare = {name: value for name, value in ITEM.items() if name != "conversation_id"}
    assert post_told({"data": [bare], "includes": users}) == (replace(plain, thread=""),)
    assert post_told({"data": [ITEM | {"lang": "und"}], "includes": users}) == (plain,)
    assert post_told({"data": [ITEM | {"created_at": "2024-05-01T00:00:00.731Z"}], "includes": users}) == (plain,)


def test_long_posts_quotes_and_odd_counts() -> None:
    """The whole text of a long post, counts that are none not told; refusals and other pages show no post."""
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    odd = ITEM | {"note_tweet": {"text": "long"}, "referenced_tweets": [{"type": "quoted", "id": "3"}],
                  "public_metrics": {"like_count": "9", "retweet_count": 2, "reply_count": -1}}  # fmt: skip
    assert post_told({"data": [odd], "includes": users}) == (Post("5", "ada", "long", 1_714_521_600, "4", reposts=2),)
    users = {"users": [{"id": "7", "username": "ada", "name": "A"}]}
    assert (
        post_told({"data": [ITEM], "includes": users}, 403)
        == post_told(b"<html>")
        == post_told([ITEM])
        == post_told({"data": 5})
        == ()
    )


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
    assert all(isinstance(post, Post) for post in post_told(body))


LATER_NOW, LATER = 1_748_800_000, 1_790_000_000
FIELDS = "created_at,description,location,protected,public_metrics,url,verified,verified_type"
REQUEST = HttpRequest("GET", f"https://api.x.com/2/users/by?user.fields={FIELDS}&usernames=alder")
LATER_USER: dict[str, Any] = {
    "id": "77", "username": "alder", "name": "Alder now", "created_at": "2020-01-02T03:04:05.000Z",
    "description": "of now", "public_metrics": {"followers_count": 9},
}  # fmt: skip


def accounts(*users: dict[str, Any], url: str = REQUEST.url) -> Recorded:
    headers = {"date": formatdate(LATER, usegmt=True)}
    return Recorded(HttpRequest("GET", url), HttpReply(200, headers, canonical_bytes({"data": list(users)})))


def test_a_handles_account_is_known_by_what_never_changes() -> None:
    """Its number, handle and beginning; one that began later was not there, and posts are left to the provider."""
    told = turned_by_all(accounts(LATER_USER), LATER_NOW)
    assert told is not None
    assert json.loads(told.body) == {"data": [{key: LATER_USER[key] for key in ("id", "username", "created_at")}]}
    assert turned_by_all(accounts({**LATER_USER, "created_at": "2026-01-02T03:04:05.000Z"}), LATER_NOW) is None
    assert turned_by_all(accounts({key: LATER_USER[key] for key in ("id", "username")}), LATER_NOW) is None
    assert turned_by_all(accounts(LATER_USER, url="https://api.x.com/2/users/77/tweets"), LATER_NOW) is None


def test_the_provider_answers_out_of_it() -> None:
    """And without it, as in a world that is not live, it misses: accounts change."""
    found = accounts(LATER_USER, url=XApiProvider().widen(REQUEST, LATER_NOW)[0].url)
    with pytest.raises(Miss):
        XApiProvider().narrow([found], REQUEST, LATER_NOW)
    turned = turned_by_all(found, LATER_NOW)
    assert turned is not None
    reply = XApiProvider().narrow([Recorded(found.request, turned)], REQUEST, LATER_NOW)
    assert json.loads(reply.body)["data"][0]["id"] == "77" and b"of now" not in reply.body
