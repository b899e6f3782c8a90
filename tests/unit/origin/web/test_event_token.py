"""What befell tokens."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.web.event_token import token_events
from caia_replay.origin.web.truth import Truth


def test_every_launch_and_graduation_is_an_event(truth: Truth) -> None:
    """And nothing happens before its deed."""
    counted = Counter(event.topic for event in token_events(truth))
    assert counted["launch"] == len(list(truth.happened("launched"))) > 0
    assert counted["graduate"] == len(list(truth.happened("graduated")))


def test_events_have_names_of_their_own(truth: Truth) -> None:
    """Within a topic, for chance follows from them."""
    named = Counter((event.topic, event.name) for event in token_events(truth))
    assert max(named.values()) == 1


def test_a_burn_is_announced_before_it_is_done(truth: Truth) -> None:
    """For the same amount, and the supply falls by it."""
    said = {event.name: event for event in token_events(truth) if event.topic == "burn_said"}
    done = {event.name: event for event in token_events(truth) if event.topic == "burn_done"}
    assert done
    for role, event in done.items():
        assert said[role].moment < event.moment
        assert said[role].facts["amount"] == event.facts["amount"]


def test_unlocks_are_counted_after_the_cliff(truth: Truth) -> None:
    """What has vested by the midnight after is what the calendar says."""
    cliffs = [event for event in token_events(truth) if event.topic == "unlock_day"]
    assert cliffs
    for event in cliffs:
        role = event.name.partition("/")[0]
        assert event.facts["unlocked"] == truth.unlocked(role, event.moment)
