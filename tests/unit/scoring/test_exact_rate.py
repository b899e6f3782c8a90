"""Exact ends of a rate, on the normal's scale."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm

from caia_replay.scoring.exact_rate import probit_ends, share_below

counts = st.integers(1, 2_000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@given(counts, st.sampled_from((0.05, 0.1, 0.01)))
def test_the_ends_are_those_of_the_beta_distribution(pair: tuple[int, int], outside: float) -> None:
    """As another implementation has them; unbounded where nothing or everything succeeded."""
    successes, trials = pair
    low, high = probit_ends(successes, trials, outside)
    assert (low == -inf, high == inf) == (successes == 0, successes == trials)
    if successes:
        assert low == pytest.approx(norm.ppf(beta.ppf(outside / 2, successes, trials - successes + 1)), abs=1e-7)
    if successes < trials:
        assert high == pytest.approx(norm.ppf(beta.ppf(1 - outside / 2, successes + 1, trials - successes)), abs=1e-7)


@given(counts)
def test_failures_are_successes_of_the_other_sort(pair: tuple[int, int]) -> None:
    """The ends of what failed are the same with their signs and places changed."""
    successes, trials = pair
    low, high = probit_ends(successes, trials)
    assert probit_ends(trials - successes, trials) == (-high, -low)
    assert low < high


@pytest.mark.parametrize(("successes", "trials", "outside"), [(0, 0, 0.05), (-1, 3, 0.05), (4, 3, 0.05), (1, 2, 0.5)])
def test_what_is_no_rate_is_refused(successes: int, trials: int, outside: float) -> None:
    """No trials, too many successes, a share of half."""
    with pytest.raises(ValueError, match="is no rate"):
        probit_ends(successes, trials, outside)


def test_the_share_below_is_exact_far_out() -> None:
    """At -20 it is as the logarithm of the tail says, not 0."""
    assert share_below(-20.0) == pytest.approx(norm.cdf(-20.0), rel=1e-9) and share_below(-20.0) > 0
    assert share_below(0.0) == 0.5
