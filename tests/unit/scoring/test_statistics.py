"""Wilson's interval against its textbook values and an independent computation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.metrics import ScoredRun
from caia_replay.scoring.statistics import majority_interval, wilson


@settings(max_examples=100)
@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_closed_form_equals_the_quadratics_roots(case: tuple[int, int]) -> None:
    """Its ends solve (p - x)^2 = z^2 x (1 - x) / n, Wilson's own definition."""
    successes, trials = case
    z = 1.959963984540054
    for end in wilson(successes, trials):
        assert abs((successes / trials - end) ** 2 - z * z * end * (1 - end) / trials) < 1e-5


@settings(max_examples=100)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_is_symmetric_and_holds_the_share(case: tuple[int, int]) -> None:
    """Counting failures instead mirrors the interval, and the share lies inside."""
    successes, trials = case
    low, high = wilson(successes, trials)
    assert (round(1 - high, 6), round(1 - low, 6)) == wilson(trials - successes, trials)
    assert 0 <= low <= successes / trials + 1e-6 and successes / trials - 1e-6 <= high <= 1


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (0, 10, (0.0, 0.277533)),
        (10, 10, (0.722467, 1.0)),
        (5, 10, (0.236593, 0.763407)),
        (120, 178, (0.602257, 0.738699)),
    ],
)
def test_known_values(successes: int, trials: int, expected: tuple[float, float]) -> None:
    """Hand-computed ends; 120 of 178 is GPT-5's published majority with tools."""
    assert wilson(successes, trials) == expected


def test_no_trials_is_no_proportion() -> None:
    """Nothing has no interval."""
    for successes, trials in ((0, 0), (-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="no proportion"):
            wilson(successes, trials)


def test_the_majority_interval_counts_tasks() -> None:
    """Two tasks, one won: the interval of 1 of 2; None when nothing was scored."""
    runs = [ScoredRun("a", "overlap", n, True, "x", "answered") for n in range(5)]
    runs += [ScoredRun("b", "overlap", n, False, "y", "answered") for n in range(5)]
    assert majority_interval(runs) == wilson(1, 2)
    assert majority_interval([]) is None
