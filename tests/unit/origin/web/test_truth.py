"""Facts with their words and claims."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from caia_replay.origin.view import Question
from caia_replay.origin.web import number
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.truth import ROLES, Truth, dollars, mistaken, rumoured, stale

FACTS: dict[str, Callable[[Truth, int], Told]] = {
    "price": lambda truth, at: truth.price(truth.subject("exchange").id, at),
    "cap": lambda truth, at: truth.cap(truth.subject("lend").id, at),
    "supply": lambda truth, at: truth.supply(truth.subject("dollar").id, at),
    "tvl": lambda truth, at: truth.tvl(truth.subject("exchange").id, at),
    "volume": lambda truth, at: truth.volume(truth.subject("exchange").id, at),
    "fees": lambda truth, at: truth.fees(truth.subject("lend").id, at),
    "staked": lambda truth, at: truth.staked("arena", at),
    "balance": lambda truth, at: truth.balance("dollar", truth.scene.people.address("treasury"), at),
    "unlocked": lambda truth, at: truth.unlocked("exchange", at),
    "block": lambda truth, at: truth.block("rollup", at),
}


@pytest.mark.parametrize("kind", FACTS)
def test_a_fact_says_what_it_claims(truth: Truth, kind: str) -> None:
    """The claim is of its kind and moment, has the told words, and a number within half a step of a larger form's."""
    at = truth.midnight(70)
    told = FACTS[kind](truth, at)
    assert told.claim is not None
    assert (told.claim.kind, told.claim.moment, told.claim.words) == (kind, at, told.words)
    assert isinstance(told.claim.value, Fraction) and told.claim.value > 0 and told.claim.step > 0


def test_facts_come_from_where_the_services_read(truth: Truth) -> None:
    """Supply is the ledger's, price the book's, staked the pool's, at the moment's block."""
    scene, at = truth.scene, truth.midnight(90) + 5_000
    block, dollar = scene.main.calendar.at(at), scene.assets["dollar"]
    claim = truth.supply(truth.subject("dollar").id, at, lambda value: number.exact(value, 6)).claim
    assert claim and claim.value == Fraction(scene.main.ledger.supply(dollar.address, block), dollar.unit)
    coin = truth.coin(truth.subject("exchange").id)
    assert truth.price_usd(coin.id, at) == Fraction(truth.book.prices.price_e8(coin, at) or 0, 10**8)
    staked = scene.main.views.answer(Question("arena staking pool", "totalStaked"), block)[0]
    told = truth.staked("arena", at, lambda value: number.exact(value, 18))
    assert told.claim and told.claim.value == Fraction(staked, 10**18)


def test_addresses_and_releases_are_texts(truth: Truth) -> None:
    """They are claimed letter by letter; a repository without a release yet has none to tell."""
    for role in ROLES[1:]:
        told = truth.address(role)
        assert told.claim and told.claim.value == told.words == truth.scene.assets[role].address
    assert truth.pool("lend").words == truth.scene.markets["lend", "dollar"].pair.address
    name = min(truth.code.repositories)
    with pytest.raises(KeyError):
        truth.release(name, truth.begun - 10**9)
    assert truth.release(name, truth.midnight(truth.days) - 1).words


def test_what_is_not_so_says_so(truth: Truth) -> None:
    """Stale and rumoured facts keep their words; a mistake is at least five per cent off, and no text can be one."""
    form = dollars(number.price)
    told = truth.price(truth.subject("feeds").id, truth.midnight(50))
    old, rumour, wrong = stale(told), rumoured(told), mistaken(told, form, truth.dice("a mistake"))
    assert told.claim and old.claim and rumour.claim and wrong.claim
    assert (old.words, old.claim.status, rumour.claim.status) == (told.words, "stale", "rumour")
    assert wrong.claim.status == "mistaken" and wrong.words == wrong.claim.words != told.words
    assert isinstance(told.claim.value, Fraction) and isinstance(wrong.claim.value, Fraction)
    assert abs(wrong.claim.value / told.claim.value - 1) > Fraction(1, 20)
    with pytest.raises(ValueError, match="no number"):
        mistaken(truth.address("lend"), form, truth.dice("b"))
    with pytest.raises(ValueError, match="claims nothing"):
        stale(Told("hello"))


def test_unknown_subjects_are_key_errors(truth: Truth) -> None:
    """Neither a coin, a role, a protocol nor a price before a listing is made up."""
    late = max(truth.subjects.values(), key=lambda one: one.listed_at)
    for ask in (
        lambda: truth.subject("nobody"),
        lambda: truth.coin("nobody"),
        lambda: truth.tvl("nobody", truth.midnight(2)),
        lambda: truth.price(late.id, late.listed_at - 7_200),
        lambda: truth.unlocked("social", truth.midnight(2)),
    ):
        with pytest.raises(KeyError):
            ask()


def test_nothing_is_told_of_coins_that_nobody_holds(truth: Truth) -> None:
    """A cap or a supply of zero is no fact to put on a page: there is none to tell until something circulates."""
    waiting = [id for id in truth.subjects if not truth.circulates(id, truth.begun)]
    assert waiting and len(waiting) < len(truth.subjects)
    for id in truth.subjects:
        held = truth.book.supply(truth.coin(id), truth.begun).circulating > 0
        assert truth.circulates(id, truth.begun) is held
        if not held:
            with pytest.raises(KeyError):
                truth.cap(id, truth.begun)
        if truth.book.supply(truth.coin(id), truth.begun).total == 0:
            with pytest.raises(KeyError):
                truth.supply(id, truth.begun)
