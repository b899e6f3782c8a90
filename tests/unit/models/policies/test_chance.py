"""Draws that are a pure function of what they are drawn from."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from caia_replay.models.policies.chance import Chance


@given(st.integers(), st.text(max_size=5), st.integers(1, 10**30))
def test_the_same_for_the_same(seed: int, task: str, bound: int) -> None:
    """Two rows of one origin are one row, inside their bounds, and draws of one row differ."""
    one, two = Chance(seed, task), Chance(seed, task)
    assert [one.below(bound) for _ in range(3)] == [two.below(bound) for _ in range(3)]
    assert 0 <= one.below(bound) < bound and len(one.hex(40)) == 40 and one.hex(8) != one.hex(8)


def test_known_draws_never_change() -> None:
    """Known values: published runs must be drawn alike by every version."""
    chance = Chance("a", 1)
    assert ([chance.below(100) for _ in range(5)], chance.hex(8)) == ([13, 79, 8, 73, 59], "7d93539d")
    assert str(Chance("a", 2).log_uniform(0, 12))[:12] == "2856873.0451"


def test_every_choice_is_as_likely() -> None:
    """Over many draws, of numbers and of orders of magnitude."""
    chance = Chance("even")
    drawn = [chance.pick("abcdefg") for _ in range(7_000)]
    assert chisquare([drawn.count(one) for one in "abcdefg"]).pvalue > 0.001
    decades = [chance.log_uniform(-2, 3).adjusted() for _ in range(5_000)]
    assert chisquare([decades.count(one) for one in range(-2, 3)]).pvalue > 0.001
    assert Decimal("0.01") <= min(chance.log_uniform(-2, 3) for _ in range(100))
