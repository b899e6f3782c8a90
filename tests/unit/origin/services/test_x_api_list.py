"""Lists of posts: pages cover a list whole, tokens are places, windows and counts keep their bounds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Post
from caia_replay.origin.services.x_api_list import Fault, counted, number, page_of, size_of, window_of

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


def test_windows_hold_their_start_and_not_their_end() -> None:
    """Moments and ids; a moment needs a zone and whole seconds."""
    window = window_of({"start_time": "2024-05-01T00:00:00Z", "end_time": "2024-05-01T02:00:10+02:00", "since_id": "5"})
    at = 1_714_521_600
    held = [(at, 6), (at + 9, 6), (at - 1, 6), (at + 10, 6), (at, 5)]
    told = [window.holds(Post(str(own), "a", "", moment, "")) for moment, own in held]
    assert told == [True, True, False, False, False]
    for text in ("2024-05-01T00:00:00", "2024-05-01", "2024-05-01T00:00:00.5Z", "0001-01-01T00:00:00Z", ""):
        with pytest.raises(Fault):
            window_of({"start_time": text})
    assert number({}, "since_id") is None and size_of({}, 5, 100) == 10
    for text in ("", "-1", "٣", "9" * 20):
        with pytest.raises(Fault):
            number({"since_id": text}, "since_id")
        with pytest.raises(Fault):
            size_of({"max_results": text}, 5, 100)


@given(LISTS.filter(bool), st.sampled_from(["minute", "hour", "day"]), st.integers(0, 10**6))
def test_counts_cover_a_window_without_a_gap(posts: list[Post], granularity: str, start: int) -> None:
    """Every post in one stretch, the stretches one after the other from start to end."""
    moved = [Post(post.id, "a", "", start + post.created * 1_000, "") for post in posts]
    told = counted(moved, start, start + 9_001, granularity)
    assert sum(one["post_count"] for one in told) == len(moved)
    assert all(one["end"] == other["start"] for one, other in pairwise(told))
    with pytest.raises(Fault, match="minute"):
        counted(moved, start, start + 5, "week")
