"""Tests of the Chinese posts: who writes, how long, what is claimed, and who answers whom."""

from __future__ import annotations

from collections import Counter

import pytest

from caia_replay.origin.web import chinese_post
from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.post_id import written_at
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import post_faults


@pytest.fixture(scope="module")
def posts(truth: Truth) -> list[WebPost]:
    """All of them."""
    return list(chinese_post.posts(truth))


def test_every_post_keeps_the_rules(truth: Truth, posts: list[WebPost]) -> None:
    """Claims stand in the text and are of before the post; ids are unique and tell the second."""
    assert [(made.post.id, fault) for made in posts for fault in post_faults(made, truth)] == []
    assert len({made.post.id for made in posts}) == len(posts) >= 450
    assert all(written_at(made.post.id) == made.post.created for made in posts)
    assert list(chinese_post.posts(truth)) == posts


def test_only_chinese_accounts_write(truth: Truth, posts: list[WebPost]) -> None:
    """Everybody who writes has an account whose language is Chinese, and most of those accounts write."""
    accounts = {one.handle for one in truth.cast.accounts if one.language == "zh"}
    writers = {made.post.author for made in posts}
    assert writers <= accounts and len(writers) > len(accounts) * 3 / 4
    assert {made.post.language for made in posts} == {"zh"}


def test_posts_are_short_and_seldom_the_same(posts: list[WebPost]) -> None:
    """A post is a line or two; nine in ten texts are nobody else's."""
    assert all(3 <= len(made.post.text) <= 140 for made in posts)
    count = Counter(made.post.text for made in posts)
    assert sum(1 for text in count.values() if text == 1) > len(posts) * 9 / 10


def test_answers_name_and_follow_what_they_answer(posts: list[WebPost]) -> None:
    """An answer is later, in the same thread, begins with the other's handle, and is counted there."""
    by_id = {made.post.id: made.post for made in posts}
    answers = [made.post for made in posts if made.post.reply_to]
    assert answers
    for post in answers:
        first = by_id[post.reply_to]
        assert post.thread == first.thread == first.id
        assert post.created > first.created and first.replies >= 1 and post.author != first.author
        assert post.text.startswith(f"@{first.author} ")


def test_most_claims_are_true(posts: list[WebPost]) -> None:
    """Old and wrong prices are few; a rumour is one in every twenty to forty posts, and said to be one."""
    count = Counter(claim.status for made in posts for claim in made.claims)
    whole = sum(count.values())
    assert 0.01 < count["stale"] / whole < 0.08
    assert count["mistaken"] / whole < 0.05
    assert all(made.kind == "rumour" for made in posts if any(one.status == "rumour" for one in made.claims))
