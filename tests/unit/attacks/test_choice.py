"""Choices that look like chance."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.choice import Choice

SEEDS = st.lists(st.one_of(st.text(), st.integers(-(2**53), 2**53)), max_size=4)


@given(SEEDS, st.text(), st.integers(1, 10**6))
def test_equal_seeds_choose_alike(seed: list[object], what: str, below: int) -> None:
    """And what is chosen lies inside."""
    number = Choice(*seed).number(what, below)
    assert number == Choice(*seed).number(what, below) and 0 <= number < below
    assert 5 <= Choice(*seed).between(what, 5, 5 + below) <= 5 + below
    assert Choice(*seed).one(what, [1, 2, 3]) in (1, 2, 3)


@given(st.lists(st.text(), unique=True, max_size=8))
def test_an_order_holds_all_of_them(options: list[str]) -> None:
    """Whatever order they are given in."""
    assert sorted(Choice("x").order("o", options)) == sorted(options)
    assert Choice("x").order("o", options) == Choice("x").order("o", options[::-1])


def test_choices_are_spread() -> None:
    """No option is forgotten, and seeds do not run into one another."""
    drawn = Counter(Choice("t", at).number("x", 10) for at in range(2_000))
    assert len(drawn) == 10 and max(drawn.values()) < 300
    assert Choice("a", "b").number("c", 2**60) != Choice("ab").number("c", 2**60)


def test_the_numbers_are_known_ones() -> None:
    """They decide digests of campaigns, and must never change."""
    assert (Choice("t-1", 3).number("x", 10**9), Choice().number("", 10**9)) == (211201865, 727627175)
