"""Figures as pages print them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.origin.mini.figure import FigureBook, amount, two_decimals
from caia_replay.origin.mini.story import BURN_BLOCKS, UNIT, Told


@given(st.integers(0, 10**30))
def test_an_amount_is_cut_never_rounded_up(raw: int) -> None:
    """What is printed is at most what is owned, by less than a hundredth of a token."""
    printed = Fraction(amount(raw).replace(",", ""))
    assert 0 <= Fraction(raw, UNIT) - printed < Fraction(1, 100)


@given(st.fractions(min_value=-(10**6), max_value=10**6))
def test_two_decimals_round_half_to_even(value: Fraction) -> None:
    """The text is the rational rounded as Python's own round does."""
    text = two_decimals(value)
    assert Fraction(Decimal(text.replace(",", ""))) == round(value, 2)
    assert text.partition(".")[2].isdigit() and len(text.partition(".")[2]) == 2


def test_supply_falls_by_what_was_burnt(told: Told) -> None:
    """Before and after each burn the figures differ by the burn's figure."""
    figures = FigureBook(told)
    for block in BURN_BLOCKS:
        before, after, burnt = (
            Fraction(figures[name].replace(",", ""))
            for name in (f"supply.payment_token.{block - 1}", f"supply.payment_token.{block}", f"burn.{block}")
        )
        assert before - after == burnt > 0


def test_the_treasury_stands_still_after_its_last_grant(told: Told) -> None:
    """Pages dated after block 33 and the question at block 50 speak of one balance."""
    figures = FigureBook(told)
    assert len({figures[f"balance.community_treasury.token.{block}"] for block in range(33, 61)}) == 1
    assert figures["balance.community_treasury.token.32"] != figures["balance.community_treasury.token.33"]


@pytest.mark.parametrize(
    "name", ["nothing", "supply", "supply.token", "supply.gold.3", "burn.x", "grant.9", "address.king", "date.999", ""]
)
def test_a_figure_that_means_nothing_is_bad_input(told: Told, name: str) -> None:
    """No unknown name, missing part or impossible block prints anything."""
    with pytest.raises(BadInput, match="no figure"):
        FigureBook(told)[name]
