"""The search language: what each term means, how they are joined, what cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Post
from caia_replay.origin.services.x_api_list import Fault
from caia_replay.origin.services.x_api_network import Network, User
from caia_replay.origin.services.x_api_query import query_test

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


def test_an_answer_to_what_is_not_there_yet_is_to_nobody() -> None:
    """``to:`` knows the posts of the moment alone."""
    assert found("to:ada", 5) == ""


@given(st.text(alphabet='ab ()"-:OR#$@from链\n', max_size=30))
def test_any_query_is_read_or_refused(query: str) -> None:
    """Nothing else happens."""
    try:
        test = query_test(query, NETWORK, 99)
    except Fault:
        return
    assert all(isinstance(test(post), bool) for post in POSTS)
