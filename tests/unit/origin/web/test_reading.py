"""What readers see of a told story."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.web.page import Told
from caia_replay.origin.web.reading import Reading
from caia_replay.origin.web.truth import ROLES, Truth


@pytest.fixture(scope="module")
def reading(truth: Truth) -> Reading:
    """The small economy, read."""
    return Reading(truth)


def test_facts_are_of_their_moment(truth: Truth, reading: Reading) -> None:
    """No claim among a coin's facts lies after the moment, and every coin has a price."""
    for role in ROLES:
        moment = truth.midnight(70) + 41_000
        found = reading.facts(truth.subject(role), moment, truth.dice(f"test/{role}"))
        assert "price" in found
        assert all(told.claim.moment <= moment for told in found.values() if isinstance(told, Told) and told.claim)


def test_before_its_listing_a_coin_has_names_alone(truth: Truth, reading: Reading) -> None:
    """Facts of a coin that is not listed yet hold no figure."""
    late = max(truth.subjects.values(), key=lambda one: (one.listed_at, one.id))
    found = reading.facts(late, late.listed_at - 86_400, truth.dice("test/late"))
    assert late.listed_at > truth.begun and "name" in found and "price" not in found


def test_the_crash_has_most_liquidations(truth: Truth, reading: Reading) -> None:
    """No day has more liquidations than the one that is called the crash."""
    days = [(at - truth.begun) // 86_400 for at, _ in truth.happened("liquidated")]
    assert days and all(days.count(day) <= days.count(reading.crash_day()) for day in days)


def test_a_desk_adds_up(truth: Truth, reading: Reading) -> None:
    """Use is what is owed by all there is, and the limit of seizure lies above the limit of borrowing."""
    for role in ("native", "exchange"):
        desk = reading.desk(role, truth.midnight(60))
        assert desk.use * (desk.cash + desk.owed) == desk.owed and desk.ltv_bps < desk.limit_bps


def test_reserves_are_balances_of_the_pair(truth: Truth, reading: Reading) -> None:
    """What a pair is said to hold is what the ledger says it has."""
    moment, unit = truth.midnight(90), truth.scene.assets["exchange"].unit
    pair, token = truth.scene.markets["exchange", "dollar"].pair.address, truth.scene.assets["exchange"].address
    held = truth.scene.main.ledger.balance(token, pair, truth.block_at("main", moment))
    assert reading.reserves("exchange", moment)[0] == Fraction(held, unit)


def test_those_who_do_harm_have_no_label(truth: Truth, reading: Reading) -> None:
    """Labels name roles and contracts that the public knows; a scammer's wallet has none."""
    people = truth.scene.people
    assert reading.label(people.address("treasury")) == "Treasury"
    assert not any(reading.label(people.address(role)) for role in ("scammer", "poisoner", "drainer", "copycat"))
    assert reading.label("0x" + "12" * 20) == ""
