"""What a suite can tell apart, against scipy's binomials and simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from caia_replay.scoring.detectable import (
    FEWEST_RANKED,
    mcnemar_power,
    minimum_detectable_difference,
    rankable,
)
from caia_replay.scoring.interval import wilson


def their_power(tasks: int, difference: float, discordant: float, alpha: float) -> float:
    """The same by scipy: over every number of discordant tasks and every split of it."""
    found = 0.0
    for number in range(tasks + 1):
        splits = np.arange(number + 1)
        p_values = np.minimum(1, 2 * binom.cdf(np.minimum(splits, number - splits), number, 0.5))
        chosen = binom.pmf(splits, number, (1 + difference / discordant) / 2)
        found += binom.pmf(number, tasks, discordant) * chosen[p_values <= alpha * (1 + 1e-9)].sum()
    return found


@pytest.mark.parametrize(
    ("tasks", "difference", "discordant", "alpha"),
    [
        (6, "1", "1", "0.05"),
        (7, "0.3", "0.4", "0.05"),
        (40, "0.2", "0.5", "0.05"),
        (40, "0", "0.5", "0.05"),
        (178, "0.1", "0.3", "0.05"),
        (178, "0.153", "0.5", "0.01"),
        (30, "0.25", "0.25", "0.2"),
    ],
)
def test_power_is_what_scipys_binomials_give(tasks: int, difference: str, discordant: str, alpha: str) -> None:
    """To ten decimals, without a difference and with the largest too."""
    found = mcnemar_power(tasks, Fraction(difference), Fraction(discordant), Fraction(alpha))
    theirs = their_power(tasks, float(difference), float(discordant), float(alpha))
    assert float(found) == pytest.approx(theirs, abs=1e-10)


def test_the_difference_is_the_first_that_is_found_often_enough() -> None:
    """One thousandth less has too little power, by an independent computation."""
    for tasks, discordant in ((50, "0.5"), (100, "0.3"), (178, "0.5")):
        least = minimum_detectable_difference(tasks, Fraction(discordant))
        assert least is not None
        assert their_power(tasks, float(least), float(discordant), 0.05) >= 0.8
        assert their_power(tasks, float(least) - 0.001, float(discordant), 0.05) < 0.8


def test_caias_size_and_its_smallest_category() -> None:
    """178 tasks tell 15.3 points apart where two models have nothing in common, 11.8 where they differ on 30 %."""
    assert minimum_detectable_difference(178) == Fraction(153, 1000)
    assert minimum_detectable_difference(178, Fraction(3, 10)) == Fraction(118, 1000)
    assert minimum_detectable_difference(7) is None


def test_more_tasks_tell_more_apart() -> None:
    """It falls with tasks, and grows with discordance and power."""
    found = [minimum_detectable_difference(tasks) for tasks in (30, 60, 120)]
    assert found == sorted(found, reverse=True) and len(set(found)) == 3
    few = minimum_detectable_difference(60, Fraction(1, 4))
    often = minimum_detectable_difference(60, power=Fraction(9, 10))
    assert few is not None and often is not None and few < Fraction(found[1] or 0) < often


@pytest.mark.parametrize(
    ("tasks", "difference", "discordant", "alpha"),
    [
        (0, "0", "0.5", "0.05"),
        (5, "0.6", "0.5", "0.05"),
        (5, "0", "0", "0.05"),
        (5, "0", "1.1", "0.05"),
        (5, "0", "1", "1"),
    ],
)
def test_impossible_cases_are_refused(tasks: int, difference: str, discordant: str, alpha: str) -> None:
    """No tasks, more difference than discordance, shares that are none, a level that is none."""
    with pytest.raises(ValueError, match="cannot differ"):
        mcnemar_power(tasks, Fraction(difference), Fraction(discordant), Fraction(alpha))


def test_the_fewest_ranked_is_what_its_reason_says() -> None:
    """The first size at which an even share's interval reaches 20 points at most, as scipy has it too."""
    for size, narrow in ((FEWEST_RANKED - 1, False), (FEWEST_RANKED, True)):
        ends = wilson(size // 2, size)
        assert (ends[1] - ends[0] <= 0.4) == narrow
        theirs = binomtest(size // 2, size).proportion_ci(method="wilson")
        assert (theirs.high - theirs.low <= 0.4) == narrow


def test_caias_three_large_categories_may_be_ranked() -> None:
    """By its published sizes, and in the order of names."""
    sizes = {"on-chain analysis": 77, "project discovery": 49, "tokenomics": 23, "overlap": 14, "trend analysis": 8,
             "general knowledge": 7}  # fmt: skip
    assert rankable(sizes) == ("on-chain analysis", "project discovery", "tokenomics")


def test_one_large_cell_is_no_ranking() -> None:
    """There is nothing to rank it against."""
    assert rankable({"a": 500, "b": FEWEST_RANKED - 1}) == () and rankable({}) == ()
    assert rankable({"b": FEWEST_RANKED, "a": FEWEST_RANKED}) == ("a", "b")
