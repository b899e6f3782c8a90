"""What an article may say of a coin and its chain at a moment."""

from __future__ import annotations

import pytest

from caia_replay.origin.web.coin_fact import HOUR_S, Almanac, coins_of, ordinal
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.truth import Truth


@pytest.mark.parametrize(("place", "words"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (23, "23rd")])
def test_places_are_spelt(place: int, words: str) -> None:
    """As people write them."""
    assert ordinal(place) == words


def test_smallest_units_become_whole_coins() -> None:
    """With commas, and decimals when asked for."""
    assert coins_of(1_234_567 * 10**18) == "1,234,567"
    assert coins_of(1_500_000, 6, 2) == "1.50"


def test_prices_are_those_of_the_hour(truth: Truth) -> None:
    """And the day's low and high enclose what the coin cost."""
    almanac, id = Almanac(truth), truth.subject("exchange").id
    at = truth.midnight(40) + 7 * HOUR_S
    facts = almanac.coin(id, at + 1_234, truth.dice("coin"))
    assert facts["price"] == truth.price(id, at)
    assert facts["rank"] == ordinal(truth.rank(id, truth.midnight(40)))


def test_a_coin_has_no_price_before_its_listing(truth: Truth) -> None:
    """Nobody tells one; name and ticker are known."""
    late = max(truth.subjects.values(), key=lambda one: one.listed_at)
    facts = Almanac(truth).coin(late.id, late.listed_at - 2 * HOUR_S, truth.dice("late"))
    assert "price" not in facts
    assert facts["ticker"] == late.ticker


def test_cap_and_supply_wait_for_coins_in_somebodys_hands(truth: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are told of a coin that circulates; neither is of one that has a price and nobody who holds it."""
    almanac, id, at = Almanac(truth), truth.subject("exchange").id, truth.midnight(40)
    assert {"price", "cap", "supply"} <= set(almanac.coin(id, at, truth.dice("held")))
    monkeypatch.setattr(Truth, "circulates", lambda *_: False)
    facts = almanac.coin(id, at, truth.dice("held"))
    assert "price" in facts and not {"cap", "supply"} & set(facts)


def test_some_prices_slip_and_most_do_not(truth: Truth) -> None:
    """Old and wrong ones bear their status; without slips there are none."""
    almanac, id, statuses = Almanac(truth), truth.subject("lend").id, []
    for day in range(20, 120):
        for slips in (True, False):
            told = almanac.coin(id, truth.midnight(day), truth.dice(f"slip/{day}"), slips=slips)["price"]
            assert isinstance(told, Told)
            assert told.claim is not None
            statuses.append(told.claim.status)
            assert slips or told.claim.status == "true"
    assert 150 < statuses.count("true") < 200


def test_the_first_day_has_no_snapshot(truth: Truth) -> None:
    """Later ones tell what was locked at their midnight."""
    almanac = Almanac(truth)
    assert "chain_tvl" not in almanac.chain(truth.begun + HOUR_S)
    assert almanac.chain(truth.midnight(9) + 5)["chain_tvl"] == truth.chain_tvl("main", truth.midnight(9))
