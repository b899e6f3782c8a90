"""Tolerances as texts and as published rules."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.scoring.tolerance import PRESETS, percent_of, tolerance_of


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_decimal_text_is_exact(whole: int, decimals: int) -> None:
    """Every decimal text is the rational it says, never a rounded float."""
    assert percent_of(f"{whole}.{decimals:07d}") == whole + Fraction(decimals, 10**7)
    assert percent_of(str(whole)) == whole


def test_the_published_rules() -> None:
    """Ten, four, two and five per cent; only the rule of 2025 takes what is right in part for right."""
    percents = {name: percent_of(name) for name in PRESETS}
    assert percents == {"caia-2025": 10, "caia-2026": 4, "caia-2026-arithmetic": 2, "caia-repository": 5}
    assert [name for name in PRESETS if tolerance_of(name).partial_is_right] == ["caia-2025"]
    assert not tolerance_of("10").partial_is_right


@pytest.mark.parametrize("text", ["", "-1", "+1", "5%", "1e3", "1,5", ".5", "5.", "٥", "nan", " 1", "1\n", "1" * 40])
def test_other_texts_are_refused(text: str) -> None:
    """What is no plain decimal of 0 or more is a fault of the spec, not zero."""
    with pytest.raises(BadInput, match="tolerance_percent"):
        percent_of(text)


def test_a_misspelt_preset_names_the_nearest() -> None:
    """A wrong name is told with the right one."""
    with pytest.raises(BadInput, match="nearest: caia-2026-arithmetic"):
        percent_of("caia-2026-aritmetic")
