"""Facts as slots."""

from __future__ import annotations

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.dice import Dice
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.social_fact import Lazy, coin_slots, place_slots, priced, protocol_slots
from caia_replay.origin.web.social_voice import voice_of
from caia_replay.origin.web.truth import ROLES, Truth


def test_a_slot_is_made_once_and_only_when_used() -> None:
    """Words are made when they are asked for, and the same ones are given again; joining makes nothing."""
    calls: list[int] = []

    def made() -> str:
        calls.append(1)
        return "words"

    slots = Lazy({"a": made}) | {"b": "c"}
    assert not calls and "a" in slots and len(slots) == 2
    assert (slots["a"], slots["a"], slots["b"], len(calls)) == ("words", "words", "c", 1)


def test_what_is_said_of_a_coin_is_the_case_or_was(truth: Truth) -> None:
    """A price that is told is the true one of its moment, current unless it is marked stale."""
    voice, moment, statuses = voice_of(truth, truth.cast.accounts[0]), truth.midnight(60) + 7_777, set()
    coins = priced(truth, 60)
    for number in range(90):
        one = coins[number % len(coins)]
        told = coin_slots(truth, one, moment, voice, Dice(f"coin {number}"), coins)["price"]
        assert isinstance(told, Told) and told.claim is not None
        assert told.words == truth.price(one.id, told.claim.moment, voice.price).words
        assert told.claim.status == "stale" or told.words == truth.price(one.id, moment, voice.price).words
        statuses.add(told.claim.status)
    assert statuses == {"true", "stale"}


def test_only_coins_with_a_price_are_spoken_of(truth: Truth) -> None:
    """No pegged, wrapped or unlisted coin is among them, and later there are more."""
    first, last = priced(truth, 1), priced(truth, truth.days - 1)
    assert len(first) < len(last)
    assert all(one.role not in ("dollar", "wrapped") and one.listed_at <= truth.midnight(1) for one in first)


def test_a_protocol_is_told_of_as_it_was_at_midnight(truth: Truth) -> None:
    """Figures of protocols have a midnight as their moment, never one to come."""
    voice, moment = voice_of(truth, truth.cast.accounts[0]), truth.midnight(40) + 50_000
    for protocol in truth.metrics.protocols:
        slots = protocol_slots(truth, protocol, moment, voice, Dice(protocol.slug))
        if slots is not None:
            told = slots["tvl"]
            assert (
                isinstance(told, Told) and told.claim and told.claim.moment % DAY_S == 0 and told.claim.moment <= moment
            )


def test_the_storys_projects_have_places(truth: Truth) -> None:
    """Projects of the story have an account and a home, outsiders have none."""
    assert all("home" in place_slots(truth, truth.subject(role)) for role in ROLES)
    assert place_slots(truth, truth.outsiders()[0]) == {}
