"""Tests of what the Chinese newsrooms report of events: deeds become articles, in their order, with their figures."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.web import chinese_event
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.truth import Truth


def test_events_are_told_with_their_deeds_moments(truth: Truth) -> None:
    """Within a topic the oldest comes first, and no event lies outside the story."""
    moments: dict[str, list[int]] = {}
    for event in chinese_event.events(truth):
        moments.setdefault(event.topic, []).append(event.moment)
    assert len(moments) >= 10
    for topic, found in moments.items():
        assert found == sorted(found), topic
        assert truth.begun <= found[0] and found[-1] < truth.midnight(truth.days)


def test_every_proposal_is_announced_and_every_result_told(truth: Truth) -> None:
    """As many articles open a vote as there are proposals, as many end one as were defeated or succeeded."""
    count = Counter(event.topic for event in chinese_event.events(truth))
    assert count["vote_open"] == len(list(truth.happened("proposed")))
    ended = [*truth.happened("defeated"), *truth.happened("succeeded")]
    assert count["vote_end"] == len(ended)


def test_a_result_says_the_votes_of_the_contract(truth: Truth) -> None:
    """The figure is a claim about the proposal, at the moment of the result."""
    for event in chinese_event.events(truth):
        if event.topic == "vote_end":
            told = event.slots["votes"]
            assert isinstance(told, Told) and told.claim is not None
            assert (told.claim.kind, told.claim.moment) == ("votes", event.moment)


def test_articles_come_after_their_events(truth: Truth) -> None:
    """The wire is there within the hour, the daily the same day; each article has one topic in its address."""
    pages = list(chinese_event.pages(truth))
    assert {made.kind for made in pages} == {"event"}
    for made in pages:
        known = [claim.moment for claim in made.claims if claim.kind not in ("unlocked", "other")]
        assert all(moment <= (made.page.published or 0) for moment in known)
    assert pages == list(chinese_event.pages(truth))
