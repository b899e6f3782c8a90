"""What happened at protocols."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.web.event_protocol import protocol_events
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.truth import Truth


def test_the_pool_that_runs_dry_is_told_of_once(truth: Truth) -> None:
    """With what was staked then, and its rescue comes later."""
    events = list(protocol_events(truth))
    dry = [event for event in events if event.topic == "stake_dry"]
    saved = [event for event in events if event.topic == "stake_rescue"]
    assert len(dry) <= 1
    for event in saved:
        assert not dry or event.moment > dry[0].moment


def test_votes_are_those_of_the_moment(truth: Truth) -> None:
    """Whoever tells of a count tells what the governor would have said."""
    told = [event for event in protocol_events(truth) if event.topic in ("gov_vote", "gov_fail", "gov_pass")]
    assert told
    for event in told:
        votes = event.facts["votes"]
        assert isinstance(votes, Told)
        assert votes.claim is not None
        assert votes.claim.moment == event.moment


def test_releases_are_told_of_when_they_are_the_latest(truth: Truth) -> None:
    """At their moment the repository has that tag."""
    made = [event for event in protocol_events(truth) if event.topic == "release"]
    assert made
    for event in made:
        full, _, tag = event.name.rpartition("/")
        assert truth.release(full, event.moment).words == tag


def test_events_have_names_of_their_own(truth: Truth) -> None:
    """Within a topic, for chance follows from them."""
    named = Counter((event.topic, event.name) for event in protocol_events(truth))
    assert max(named.values()) == 1
