from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss
from caia_replay.tools.figure import change_percent, decimal_text, exact, percent, significant, total

RATIOS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**9)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=12)
WIDE = Context(prec=120, rounding=ROUND_HALF_EVEN)


@given(RATIOS, st.integers(0, 12))
def test_a_share_is_rounded_once_and_half_to_even(value: Fraction, places: int) -> None:
    """The text of a fraction is what the decimal module makes of it at those places."""
    divided = WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    judge = divided.quantize(Decimal(1).scaleb(-places), context=WIDE)
    assert Decimal(decimal_text(value, places)) == judge
    assert "e" not in decimal_text(value, places).lower()


@given(DECIMALS)
def test_a_decimal_keeps_its_own_digits(value: Decimal) -> None:
    """Without places every digit is told, and read back it is the same number; small ones get no exponent."""
    assert Decimal(decimal_text(value)) == value
    assert decimal_text(Decimal("0.00000001")) == "0.00000001"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_vendors_number_is_read_as_written(value: float) -> None:
    """A float is the shortest decimal that means it, a text its digits."""
    assert exact(value, "x") == Fraction(repr(value))
    assert exact("0.10", "x") == Fraction(1, 10)


@pytest.mark.parametrize("value", [None, True, "", "1/0", "nan", [1], float("inf"), "1e999x"])
def test_what_is_no_number_is_a_miss(value: Any) -> None:
    """Null, truth, NaN and lists are no figures, and never read as zero."""
    with pytest.raises(Miss):
        exact(value, "x")


@given(st.lists(DECIMALS, max_size=30))
def test_a_sum_is_exact(values: list[Decimal]) -> None:
    """Nothing is lost between large and small amounts."""
    assert Fraction(total(values)) == sum(map(Fraction, values), Fraction(0))


@given(RATIOS, RATIOS)
def test_a_change_is_of_the_first(first: Fraction, last: Fraction) -> None:
    """The change in percent leads from the first to the last, and there is none from zero."""
    told = change_percent(first, last)
    if first == 0:
        assert told is None
    else:
        assert told is not None
        assert Fraction(Decimal(repr(told))) == pytest.approx((last / first - 1) * 100, rel=1e-9, abs=1e-6)


@given(RATIOS.filter(bool), st.integers(1, 15))
def test_significant_digits_hold(value: Fraction, digits: int) -> None:
    """A mean is right to as many digits as it is told with."""
    assert significant(value, digits) == float(f"{significant(value, digits):.{digits - 1}e}")
    assert abs(Fraction(significant(value, digits)) / value - 1) <= Fraction(51, 100 * 10 ** (digits - 1))


def test_percent_reads_as_people_say_it() -> None:
    """A share of 0.05 is five percent; the seventh place is rounded off."""
    assert percent(Fraction(1, 20)) == 5.0
    assert percent(Fraction(1, 3)) == 33.333333
