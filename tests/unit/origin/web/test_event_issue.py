"""What issuers, makers and teams did."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.web.event_issue import issue_events
from caia_replay.origin.web.truth import Truth


def test_every_sale_of_a_collectible_is_an_event(truth: Truth) -> None:
    """Counted per collection, from the first on."""
    sales = [event for event in issue_events(truth) if event.topic == "nft_sale"]
    assert len(sales) == len(list(truth.happened("purchased"))) > 0
    assert sum(event.facts["nth_sale"] == "1" for event in sales) == len({event.facts["name"] for event in sales})


def test_who_has_a_team_is_portrayed(truth: Truth) -> None:
    """Once, when the coin has a price."""
    portrayed = [event for event in issue_events(truth) if event.topic == "profile"]
    assert len({event.coin for event in portrayed}) == len(portrayed) > 20
    for event in portrayed:
        assert event.moment > truth.subjects[event.coin].listed_at


def test_the_dollar_is_counted_as_the_chain_counts_it(truth: Truth) -> None:
    """Supply now and two weeks before."""
    counted = [event for event in issue_events(truth) if event.topic == "dollar_supply"]
    assert counted
    for event in counted:
        assert event.facts["supply"] == truth.supply(truth.subject("dollar").id, event.moment)


def test_events_have_names_of_their_own(truth: Truth) -> None:
    """Within a topic, for chance follows from them."""
    named = Counter((event.topic, event.name) for event in issue_events(truth))
    assert max(named.values()) == 1
