"""What wallets hold, and amounts as people say them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from caia_replay.origin.dice import Dice
from caia_replay.origin.execution.holding import odd_amount, raw, rounded_down, said


@given(some.integers(1, 10**30), some.integers(0, 18))
def test_what_is_said_is_what_is_meant(units: int, decimals: int) -> None:
    """Read back without its commas, an amount is itself to the last unit."""
    amount = Fraction(units, 10**decimals)
    assert Fraction(said(amount).replace(",", "")) == amount and raw(amount, decimals) == units


def test_thousands_are_set_apart() -> None:
    """As people write them."""
    assert (said(Fraction(12_345_678)), said(Fraction("1234.5")), said(Fraction("0.07"))) == (
        "12,345,678",
        "1,234.5",
        "0.07",
    )


def test_more_decimals_than_a_token_has_are_refused() -> None:
    """Half a smallest unit is no amount."""
    with pytest.raises(ValueError, match="more than 6 decimals"):
        raw(Fraction(1, 10**7), 6)


@given(some.fractions(Fraction(1, 10**9), Fraction(10**12)), some.integers(1, 9))
def test_a_limit_is_cut_and_never_raised(amount: Fraction, digits: int) -> None:
    """It loses less than one of its last digit, and has no more digits than asked."""
    cut = rounded_down(amount, digits)
    assert 0 <= amount - cut < amount / 10 ** (digits - 1)
    written = said(cut).replace(",", "").replace(".", "").strip("0")
    assert len(written) <= digits


@given(some.text(max_size=9))
def test_an_amount_is_never_round(name: str) -> None:
    """Somebody who asks for a round one is told from nobody."""
    amount = odd_amount(Dice(name), 100, 9_000)
    assert 100 <= amount <= 9_001 and amount.denominator != 1 and raw(amount, 2)
