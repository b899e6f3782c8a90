"""The unit-twist family."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.unit_twist import UnitTwist, powers, scaled
from caia_replay.core.attack import Dose, Planting, Target
from tests.attack_view import target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = UnitTwist()


def of(value: str, unit: str | None) -> Target:
    asked = target("number", value)
    return replace(asked, truth=replace(asked.truth, unit=unit))


@settings(max_examples=25, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Numbers alone have a unit."""
    assert bool(check(FAMILY, asked, dose)) == (asked.truth.kind == "number")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8), st.sampled_from((-2, 3, 6, 18)))
def test_scaling_is_exact_and_has_no_exponent(value: Decimal, power: int) -> None:
    """However many digits."""
    told = scaled(f"{value:f}", power)
    assert Fraction(told) == Fraction(value) * Fraction(10) ** power and "E" not in told


@pytest.mark.parametrize(
    ("value", "unit", "wanted"),
    [
        ("12.5", "%", {"0.125"}),
        ("2.5", "ORCH", {"2500000000000000000"}),
        ("2500000.25", "ORCH", {"2500000250000"}),
        ("48", None, {"48000", "48000000"}),
        ("-3.5", "ORCH", {"-3500000000000000000"}),
    ],
)
def test_the_magnitude_goes_with_the_unit(value: str, unit: str | None, wanted: set[str]) -> None:
    """Per cent by a hundred, tokens by their smallest unit where that can be read, others by thousands or millions."""
    made = plan(FAMILY, of(value, unit), Dose())
    assert isinstance(made, Planting)
    (found,) = made.pages
    assert found.answer in wanted and found.planted != found.answer
    assert powers(of(value, unit))


@pytest.mark.parametrize(
    ("asked", "why"), [(of("0", None), "nought"), (of("x", None), "nought"), (target("date", "2024-05-01"), "no unit")]
)
def test_what_has_no_magnitude_is_left_out(asked: Target, why: str) -> None:
    """Said in words."""
    assert why in str(plan(FAMILY, asked, Dose()))
