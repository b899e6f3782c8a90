"""Figures in lines and grids."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.web.page import Claim, Told
from caia_replay.origin.web.sheet import GRIDS, LINES, grid, listing

PRICE = Told("$1.20", Claim("price", "one", 1, "$1.20", Fraction(6, 5), Fraction(1, 100)))


@pytest.mark.parametrize("style", LINES)
def test_a_line_has_its_label_and_value(style: str) -> None:
    """Every style prints label and value on one line, and the claim comes along."""
    made = listing([("Price", PRICE), ("Rank", "4")], style)
    first, second = made.text.split("\n")
    assert "Price" in first and "$1.20" in first and "Rank" in second and "4" in second
    assert made.claims == (PRICE.claim,)


@pytest.mark.parametrize("style", GRIDS)
def test_a_grid_has_a_row_for_each(style: tuple[str, str, str]) -> None:
    """Head and rows stand under one another in order; without a head there are rows alone."""
    whole = grid(["Day", "Price"], [["1", PRICE], ["2", "-"]], style)
    assert len(whole.text.split("\n")) == 3 and whole.claims == (PRICE.claim,)
    assert grid([], [["1", PRICE]], style).text == whole.text.split("\n")[1]
