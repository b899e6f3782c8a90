"""Tests of what a Chinese text may say: the slots, their words and their claims."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.web.chinese_fact import HOUR_S, ChineseFacts, month_day, yuan
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.truth import Truth


@given(st.integers(0, 10**14))
def test_an_amount_is_never_further_from_its_words_than_half_a_step(cents: int) -> None:
    """What is printed is the true amount, rounded to the last digit that is shown, and ends in the unit."""
    value = Fraction(cents, 100)
    written = yuan(2)(value)
    assert abs(written.value - value) <= written.step / 2
    assert written.words.endswith("美元")


def test_small_amounts_are_written_to_the_cent() -> None:
    """Ten thousand is the first amount that is counted in ten thousands."""
    assert yuan(1)(Fraction(35604, 100)).words == "356.04 美元"
    assert yuan(1)(Fraction(10_000)).words == "1.0 万美元"


def test_a_coin_has_no_facts_before_its_listing(truth: Truth) -> None:
    """Of a coin that is not listed yet one can say its name and nothing of its price."""
    facts = ChineseFacts(truth)
    late = [one for one in truth.subjects.values() if one.listed_at > truth.midnight(3)]
    for one in late:
        slots = facts.coin(one.id, one.listed_at - 2 * HOUR_S, truth.dice("test"))
        assert slots["name"] == one.name
        assert "price" not in slots


def test_the_direction_told_is_the_direction_of_the_change(truth: Truth) -> None:
    """A coin that rose has the words and the marker of rising, one that fell those of falling."""
    facts, at = ChineseFacts(truth), truth.midnight(20) + 7 * HOUR_S
    for id, one in sorted(truth.subjects.items()):
        if one.listed_at <= at - 24 * HOUR_S:
            slots, moved = facts.coin(id, at, truth.dice(id)), truth.change_ppm(id, at, 24) or 0
            assert slots["updown"] == ("涨" if moved >= 0 else "跌")
            assert ("rose" in slots, "fell" in slots) == (moved >= 0, moved < 0)


def test_slips_are_few_and_say_that_they_are(truth: Truth) -> None:
    """A price told with slips is stale or mistaken in some of many draws, true in most, and never wrong as true."""
    facts, at, id = ChineseFacts(truth), truth.midnight(30) + HOUR_S, truth.subject("exchange").id
    found = []
    for place in range(300):
        told = facts.coin(id, at, truth.dice(f"slip/{place}"), slips=True)["price"]
        assert isinstance(told, Told) and told.claim is not None
        found.append(told.claim.status)
        if told.claim.status == "true":
            assert abs(Fraction(told.claim.value) - truth.price_usd(id, at)) <= told.claim.step / 2
    assert 0.04 < found.count("stale") / 300 < 0.16
    assert 0 < found.count("mistaken") / 300 < 0.08


def test_claims_of_the_chain_are_of_the_snapshot_before(truth: Truth) -> None:
    """Whatever is said of the chain at a moment was the case then, and on the first day nothing is said of it."""
    facts, at = ChineseFacts(truth), truth.midnight(9) + 17 * HOUR_S
    slots = facts.chain(at)
    told = [one for one in (slots[name] for name in slots) if isinstance(one, Told) and one.claim is not None]
    assert told and all(one.claim is not None and one.claim.moment <= at for one in told)
    assert "chain_tvl" not in facts.chain(truth.begun + HOUR_S)


def test_a_moment_is_named_in_both_clocks(truth: Truth) -> None:
    """Beijing is eight hours ahead, so late hours belong to its next day."""
    moment = truth.midnight(5) + 20 * HOUR_S
    said = ChineseFacts(truth).when(moment)
    assert said["stamp"] == f"{month_day(moment)} 20:00（UTC）"
    assert said["beijing"] == f"北京时间{month_day(truth.midnight(6))} 04:00"
