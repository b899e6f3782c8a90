"""A social network: what is no network, who is there when, and what stands in a text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Post
from caia_replay.origin.services.x_api_network import Network, User, entities_of, key_of
from tests.x_network import BEGIN, END, draw_posts, draw_users

USER = User("Ada_1", "Ada", "", 100, False, 3, 4)
POST = Post("50", "Ada_1", "hello @ada_1", 200, "50")


def test_numbers_of_users_are_those_of_their_handles() -> None:
    """The same for any case of the handle, at most 19 digits, known once and for ever."""
    assert USER.id == replace(USER, handle="ADA_1", name="Other", created=5).id == USER.id
    assert all(len(user.id) <= 19 and user.id.isdigit() for user in draw_users("ids", 200))
    assert User("ledger", "", "", 0, False, 0, 0).id != USER.id


@pytest.mark.parametrize(
    "posts, said",
    [
        ([POST, POST], "one id"),
        ([replace(POST, author="ada_1")], "no user"),
        ([replace(POST, author="bo")], "no user"),
        ([replace(POST, created=99)], "older than its author"),
        ([replace(POST, id="x1")], "no number"),
        ([replace(POST, id="1" * 20)], "no number"),
        ([POST, replace(POST, id="51", created=150, reply_to="50")], "answers a later one"),
    ],
)
def test_what_is_no_network_is_refused(posts: list[Post], said: str) -> None:
    """Twins, strangers, posts before their author or their question."""
    with pytest.raises(ValueError, match=said):
        Network([USER], posts)
    with pytest.raises(ValueError, match="no handle"):
        Network([replace(USER, handle="a b")], [])


def test_lists_are_newest_first_and_of_the_moment() -> None:
    """Written, mentioning and everybody's posts, until the moment, sorted by it and by number."""
    users = draw_users("net")
    posts = draw_posts("net", users)
    network = Network(users, posts)
    for now in (BEGIN, (BEGIN + END) // 2, END):
        for found in (network.written_by(users[0], now), network.mentioning(users[1], now), network.posts(BEGIN, now)):
            assert [key_of(post) for post in found] == sorted(map(key_of, found), reverse=True)
            assert all(post.created <= now for post in found)
    assert len(network.posts(BEGIN, END)) == len(posts)
    assert len(network.posts(posts[20].created, posts[20].created)) >= 1
    assert network.user(users[-1].handle, BEGIN) is None and network.user_by_id(users[-1].id, END) == users[-1]


def test_what_stands_in_a_text() -> None:
    """Tags, tickers, mentions and addresses by their characters; what is within an address is part of it."""
    text = "(@Bo_2: #金库 up, $VLT $1 a@b.org see https://example.org/@cy/#x?q=$VLT. #1 #a1"
    found = entities_of(text)
    assert [one.name for one in found.mentions] == ["Bo_2"]
    assert [one.name for one in found.hashtags] == ["金库", "a1"]
    assert [one.name for one in found.cashtags] == ["VLT"]
    assert [one.name for one in found.links] == ["https://example.org/@cy/#x?q=$VLT"]
    for one in (*found.mentions, *found.hashtags, *found.cashtags):
        assert text[one.start + 1 : one.end] == one.name


@given(st.text(alphabet="ab1_@#$ :/.?https链", max_size=40))
def test_entities_lie_within_any_text(text: str) -> None:
    """Each stands where it says it does."""
    found = entities_of(text)
    for sign, some in (("#", found.hashtags), ("$", found.cashtags), ("@", found.mentions), ("", found.links)):
        assert all(text[one.start : one.end] == sign + one.name for one in some)
