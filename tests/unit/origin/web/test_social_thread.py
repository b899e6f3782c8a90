"""Threads."""

from __future__ import annotations

from itertools import groupby, pairwise

from caia_replay.origin.web.social_thread import posts
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import post_faults


def test_a_thread_is_one_author_going_on(truth: Truth) -> None:
    """Each post of a thread answers the one before, by the same author, later; most threads tell figures."""
    made = list(posts(truth))
    assert [fault for one in made for fault in post_faults(one, truth)] == []
    claiming = lengths = 0
    for _, group in groupby(made, key=lambda one: one.post.thread):
        thread = list(group)
        assert 3 <= len(thread) <= 9 and len({one.post.author for one in thread}) == 1
        assert thread[0].post.reply_to == ""
        for before, after in pairwise(thread):
            assert after.post.reply_to == before.post.id and after.post.created > before.post.created
        claiming += any(one.claims for one in thread)
        lengths += 1
    assert lengths > 40 and claiming * 10 > lengths * 6
