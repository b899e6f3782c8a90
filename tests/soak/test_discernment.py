"""Simulated agents of known discernment are recovered: over the whole grid, alone and in clusters."""

from __future__ import annotations

from itertools import product

import pytest

from caia_replay.scoring.discernment import discernment
from caia_replay.scoring.discernment_shuffle import shuffle_labels, shuffled
from tests.discernment_law import BIASES, CLUSTERED, D_PRIMES, SIZES, counted, holds, of, recovered, simulated

SEEDS = 300


@pytest.mark.soak
@pytest.mark.parametrize("n", SIZES)
def test_simulated_agents_are_recovered(n: int) -> None:
    """d' and the criterion are inside their intervals on 93 % of the seeds or more, everywhere on the grid."""
    for d_prime, bias in product(D_PRIMES, BIASES):
        held = recovered(d_prime, bias, n, SEEDS)
        print(f"n {n}, d' {d_prime}, c {bias}: {held[0]} and {held[1]} of {SEEDS}")
        assert min(held) >= 0.93 * SEEDS


@pytest.mark.soak
@pytest.mark.parametrize(("n", "size", "scatter"), CLUSTERED)
def test_agents_that_know_some_projects_are_recovered(n: int, size: int, scatter: float) -> None:
    """So are those whose clusters differ in d', though their claims are no independent sample."""
    for d_prime, bias in product((0.0, 1.0, 2.0, 3.0), (-1.0, 0.0)):
        held = recovered(d_prime, bias, n, SEEDS, size, scatter)
        print(f"n {n} by {size}, scatter {scatter}, d' {d_prime}, c {bias}: {held[0]} and {held[1]} of {SEEDS}")
        assert min(held) >= 0.93 * SEEDS


@pytest.mark.soak
def test_the_coverage_told_is_that_of_every_outcome() -> None:
    """95.6 % and more, with 10, 25, 50 and 100 claims of either sort."""
    for each in (10, 25, 50, 100):
        least = counted(each)
        print(f"{each} of either sort: {100 * least:.2f} %")
        assert least > 0.956


@pytest.mark.soak
def test_shuffled_labels_discern_nothing() -> None:
    """0 is inside the interval on 93 % of the shuffles or more, and the test at 5 % cries no oftener than that."""
    agent = simulated(2.0, 0.3, 120, 1)
    assert sum(holds(of(discernment("simulated", shuffled(agent, seed)))[2], 0.0) for seed in range(SEEDS)) >= 279
    alarms = 0
    for seed in range(SEEDS):
        found = shuffle_labels(simulated(0.0, 0.3, 120, seed), draws=199)
        assert found is not None
        alarms += found.p <= 0.05
    assert alarms <= 0.08 * SEEDS
