"""Whether a question can be answered as it asks, and whether who misreads it is told apart from who does not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.tasks.misreading import is_sayable, is_told_apart
from caia_replay.origin.tasks.shape import number
from caia_replay.scoring.verifiers import verify


@pytest.mark.parametrize("value", ["1849.22045", "2.00009", "-31.123456789"])
@pytest.mark.parametrize("decimals", [2, 4, 6])
def test_a_sayable_value_is_right_when_it_is_cut_or_rounded(value: str, decimals: int) -> None:
    """The verifier takes what the question asks for wherever the value was called sayable."""
    exact, tolerance = Fraction(value), "0.01"
    if not is_sayable(exact, tolerance, decimals):
        pytest.skip("too small for so few decimals")
    cut = Fraction(int(exact * 10**decimals), 10**decimals)
    for said in (cut, round(exact, decimals)):
        text = f"{float(said):.{decimals}f}"
        assert verify(number(exact, None, tolerance), text).correct is True, text


def test_a_value_below_its_rounding_is_not_sayable() -> None:
    """Two decimals of 3.431031 are not within 0.02 per cent of it; four are."""
    value = Fraction("3.431031")
    assert not is_sayable(value, "0.02", 2)
    assert is_sayable(value, "0.02", 4)


@pytest.mark.parametrize("guess", [0, 3, 12, 18, 95, 100])
def test_what_a_guesser_says_is_not_sayable(guess: int) -> None:
    """A small count, the usual decimals or a round share is right without any work."""
    assert not is_sayable(Fraction(guess), "10", 4)
    assert is_sayable(Fraction(guess) + Fraction(1, 2), "10", 4)


def test_a_misreading_told_apart_is_wrong_even_when_rounded() -> None:
    """Within twice the tolerance nothing counts as told apart; beyond, the verifier calls it wrong."""
    value = Fraction(1_000)
    assert not is_told_apart(value, Fraction("1000.2"), "0.01")
    assert is_told_apart(value, Fraction("1000.21"), "0.01")
    assert is_told_apart(-value, value, "0.01")
    assert verify(number(value, None, "0.01"), "1000.2").correct is False
