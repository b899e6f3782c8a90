"""Occasions of projects."""

from __future__ import annotations

from caia_replay.origin.web.page import Told
from caia_replay.origin.web.social_event import events
from caia_replay.origin.web.truth import Truth


def test_every_burn_and_vote_of_the_story_is_an_occasion(truth: Truth) -> None:
    """As many are told as happened, and in order."""
    found = events(truth)
    kinds = [one.kind for one in found]
    assert kinds.count("burn_announced") == len(list(truth.happened("announced a burn")))
    assert kinds.count("vote_open") == len(list(truth.happened("proposed")))
    assert kinds.count("vote_closed") == sum(len(list(truth.happened(one))) for one in ("succeeded", "defeated"))
    assert [one.moment for one in found] == sorted(one.moment for one in found)


def test_nothing_is_announced_before_it_is_known(truth: Truth) -> None:
    """What occasions claim was the case by then; only the calendar of unlocks looks ahead."""
    for one in events(truth):
        assert truth.cast.account_of(one.subject).manner == "project"
        for made in one.slots.values():
            told = made if isinstance(made, str) else made()
            if isinstance(told, Told) and told.claim is not None:
                assert told.claim.moment <= one.moment or one.kind in ("unlock_ahead", "unlock_past")
