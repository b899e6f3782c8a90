"""Agreement of people and means without the extremes, against published figures and plain definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from caia_replay.scoring.agreement import krippendorff_alpha, trimmed_mean

PUBLISHED = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff's own example: four observers, twelve units, a dot where one is missing. Its interval alpha is 0.849."""
UNITS = st.lists(st.lists(st.integers(1, 5), max_size=6), max_size=8)


def test_alpha_of_the_published_example() -> None:
    """The example of the method's author gives the figure that he prints."""
    columns = zip(*(row.split() for row in PUBLISHED))
    alpha = krippendorff_alpha([[int(cell) for cell in column if cell != "."] for column in columns])
    assert alpha is not None and round(float(alpha), 3) == 0.849


@given(UNITS)
def test_alpha_is_its_definition(units: list[list[int]]) -> None:
    """One less the mean squared difference within units, weighted as the method says, over that of all pairs."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    within = sum(sum((a - b) ** 2 for a, b in permutations(unit, 2)) / Fraction(len(unit) - 1) for unit in paired)
    overall = [(a - b) ** 2 for a, b in permutations(values, 2)]
    if not any(overall):
        assert krippendorff_alpha(units) is None
    else:
        assert krippendorff_alpha(units) == 1 - (Fraction(within) / len(values)) / Fraction(
            mean(map(Fraction, overall))
        )


@given(UNITS, st.integers(2, 9), st.integers(-9, 9))
def test_alpha_knows_no_unit(units: list[list[int]], scale: int, shift: int) -> None:
    """Points on another interval scale, and reviewers in another order, give the same alpha."""
    moved = [[scale * value + shift for value in unit[::-1]] for unit in units[::-1]]
    assert krippendorff_alpha(moved) == krippendorff_alpha(units)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=9))
def test_trimmed_mean_is_scipys(values: list[int]) -> None:
    """It is what scipy trims to with one value cut at each end."""
    assert trimmed_mean(values) == pytest.approx(trim_mean(values, 1.0001 / len(values)))


@given(st.lists(st.fractions(1, 5), min_size=4, max_size=9), st.fractions(0, 9))
def test_one_extreme_reviewer_moves_little(values: list[Fraction], extreme: Fraction) -> None:
    """Whatever one more reviewer says, the mean stays between what the others' own extremes would make of it."""
    found = trimmed_mean([*values, extreme])
    low, high = trimmed_mean([*values, min(values)]), trimmed_mean([*values, max(values)])
    assert low is not None and found is not None and high is not None and low <= found <= high
    assert trimmed_mean(values[:2]) is None
