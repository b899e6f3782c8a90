"""Lists of posts and searches of them: pages cover a list whole, tokens are places, queries mean what they say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Post
from caia_replay.origin.services.x_api_list import Fault, counted, page_of
from caia_replay.origin.services.x_api_network import Network, User, entities_of
from caia_replay.origin.services.x_api_query import query_test

LISTS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 10**18)), unique=True, max_size=30).map(
    lambda keys: [Post(str(own), "a", "", moment, "") for moment, own in sorted(keys, reverse=True)]
)


@given(LISTS, st.integers(1, 7))
def test_pages_lead_through_a_list_there_and_back(posts: list[Post], size: int) -> None:
    """Onward every post once; back from each page the posts right above it."""
    seen, token, before = list[Post](), None, list[Post]()
    while True:
        page, meta = page_of(posts, size, token)
        seen += page
        if before:
            assert list(page_of(posts, size, meta["previous_token"])[0]) == before
            assert list(page_of(posts, 99, meta["previous_token"])[0]) == seen[: -len(page)]
        else:
            assert "previous_token" not in meta
        token, before = meta.get("next_token"), list(page)
        if token is None:
            break
    assert seen == posts


@given(LISTS, LISTS, st.integers(1, 7))
def test_a_token_is_a_place_in_any_list(posts: list[Post], others: list[Post], size: int) -> None:
    """In another list it leads to what lies below the same place."""
    page, meta = page_of(posts, size, None)
    if "next_token" in meta:
        place = (page[-1].created, int(page[-1].id))
        below = [post for post in others if (post.created, int(post.id)) < place]
        assert list(page_of(others, size, meta["next_token"])[0]) == below[:size]


@pytest.mark.parametrize("token", ["", "a", "0" * 24 + "=", "ZZZZ", "00000PI780SHHN3HEQSS00D3", "9" * 24, "链"])
def test_tokens_nobody_handed_out_are_refused(token: str) -> None:
    """Whatever they look like."""
    with pytest.raises(Fault, match="handed out"):
        page_of([], 5, token)


@given(LISTS.filter(bool), st.sampled_from(["minute", "hour", "day"]), st.integers(0, 10**6))
def test_counts_cover_a_window_without_a_gap(posts: list[Post], granularity: str, start: int) -> None:
    """Every post in one stretch, the stretches one after the other from start to end."""
    moved = [Post(post.id, "a", "", start + post.created * 1_000, "") for post in posts]
    told = counted(moved, start, start + 9_001, granularity)
    assert sum(one["post_count"] for one in told) == len(moved)
    assert all(one["end"] == other["start"] for one, other in pairwise(told))
    with pytest.raises(Fault, match="minute"):
        counted(moved, start, start + 5, "week")


USERS = [User(handle, handle, "", 0, False, 0, 0) for handle in ("Ada", "bo")]


POSTS = [
    Post("1", "Ada", "The vault is dry. #DeFi", 10, "1", language="en"),
    Post("2", "bo", "@ada no, the Vaults are full $VLT https://example.org/a", 20, "1", "1", "en"),
    Post("3", "Ada", "今天金库的利率又变了", 30, "3", language="zh"),
    Post("4", "bo", "dry vault", 40, "4"),
]


NETWORK = Network(USERS, POSTS)


def found(query: str, now: int = 99) -> str:
    """The ids of the posts that a query finds."""
    test = query_test(query, NETWORK, now)
    return "".join(post.id for post in POSTS if test(post))


@pytest.mark.parametrize(
    "query, ids",
    [
        ("vault", "14"), ("VAULT dry", "14"), ('"vault is dry"', "1"), ('"dry vault"', "4"), ("vault -is", "4"),
        ('vault -"dry vault"', "1"), ("#defi", "1"), ("$vlt", "2"), ("@Ada", "2"), ("from:ada", "13"), ("to:ada", "2"),
        (f"from:{USERS[1].id}", "24"), ("from:@BO", "24"), ("lang:zh", "3"), ("lang:und", "4"), ("is:reply", "2"),
        ("-is:reply from:bo", "4"), ("has:links", "2"), ("has:hashtags OR has:cashtags", "12"), ("has:mentions", "2"),
        ("conversation_id:1", "12"), ("利率", "3"), ("is:retweet", ""), ("full OR dry vault", "124"),
        ("(full OR dry) vault", "14"), ("vault AND dry", "14"), ("-(full OR dry) lang:en", ""),
        ("the (no OR (is dry))", "12"),
        ("$VLT OR #DeFi", "12"), ("example.org", "2"), ("not_there", ""),
    ],
)  # fmt: skip
def test_terms_mean_what_they_say(query: str, ids: str) -> None:
    """Words whole and in any case, phrases, signs, operators, alternatives, groups and what must not occur."""
    assert found(query) == ids


@pytest.mark.parametrize(
    "query", ["", "  ", "(", ")", "a)", "(a", "()", "a OR", "OR a", '"a', "colour:red", "is:blue", "...", "from:", '""',
              "(" * 60 + "a" + ")" * 60, "a" * 5_000],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(query: str) -> None:
    """A fault that names the query."""
    with pytest.raises(Fault) as told:
        query_test(query, NETWORK, 99)
    assert told.value.parameter == "query"


@given(st.text(alphabet='ab ()"-:OR#$@from链\n', max_size=30))
def test_any_query_is_read_or_refused(query: str) -> None:
    """Nothing else happens."""
    try:
        test = query_test(query, NETWORK, 99)
    except Fault:
        return
    assert all(isinstance(test(post), bool) for post in POSTS)


@given(st.text(alphabet="ab1_@#$ :/.?https链", max_size=40))
def test_entities_lie_within_any_text(text: str) -> None:
    """Each stands where it says it does."""
    found = entities_of(text)
    for sign, some in (("#", found.hashtags), ("$", found.cashtags), ("@", found.mentions), ("", found.links)):
        assert all(text[one.start : one.end] == sign + one.name for one in some)
