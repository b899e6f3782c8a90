"""Facts with their words and claims: where they come from, and what is made wrong on purpose says so."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_worldgen.view import ViewCall
from caia_worldgen.web import number
from caia_worldgen.web.page import Told
from caia_worldgen.web.truth import Truth, dollars, mistaken, rumoured, stale

pytestmark = pytest.mark.check


def test_facts_come_from_where_the_services_read(truth: Truth) -> None:
    """Supply is the ledger's, price the book's, staked the pool's, at the moment's block."""
    scene, at = truth.scene, truth.midnight(90) + 5_000
    block, dollar = scene.main.calendar.at(at), scene.assets["dollar"]
    claim = truth.supply(truth.subject("dollar").id, at, lambda value: number.exact(value, 6)).claim
    assert claim and claim.value == Fraction(scene.main.ledger.supply(dollar.address, block), dollar.unit)
    coin = truth.coin(truth.subject("exchange").id)
    assert truth.price_usd(coin.id, at) == Fraction(truth.book.prices.price_e8(coin, at) or 0, 10**8)
    staked = scene.main.views.answer(ViewCall("arena staking pool", "totalStaked"), block)[0]
    told = truth.staked("arena", at, lambda value: number.exact(value, 18))
    assert told.claim and told.claim.value == Fraction(staked, 10**18)


def test_what_is_not_so_says_so(truth: Truth) -> None:
    """Stale and rumoured facts keep their words; a mistake is at least five per cent off, and no text can be one."""
    form = dollars(number.price)
    told = truth.price(truth.subject("feeds").id, truth.midnight(50))
    old, rumour, wrong = stale(told), rumoured(told), mistaken(told, form, truth.rng("a mistake"))
    assert told.claim and old.claim and rumour.claim and wrong.claim
    assert (old.words, old.claim.status, rumour.claim.status) == (told.words, "stale", "rumour")
    assert wrong.claim.status == "mistaken" and wrong.words == wrong.claim.words != told.words
    assert isinstance(told.claim.value, Fraction) and isinstance(wrong.claim.value, Fraction)
    assert abs(wrong.claim.value / told.claim.value - 1) > Fraction(1, 20)
    with pytest.raises(ValueError, match="no number"):
        mistaken(truth.address("lend"), form, truth.rng("b"))
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
