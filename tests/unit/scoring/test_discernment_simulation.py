"""Agents of known discernment."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from caia_replay.scoring.discernment import discernment
from caia_replay.scoring.discernment_simulation import overall, simulated
from caia_replay.scoring.exact_rate import share_below

seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 50), st.floats(0, 3), st.floats(-1, 1))
def test_it_is_a_function_of_its_arguments(seed: int, n: int, d_prime: float, bias: float) -> None:
    """Equal arguments give equal claims; half are true; tasks differ."""
    made = simulated(d_prime, bias, n, seed)
    assert made == simulated(d_prime, bias, n, seed)
    assert len({claim.task for claim in made}) == n and sum(claim.is_true for claim in made) == (n + 1) // 2


@settings(max_examples=50)
@given(seeds, st.floats(0, 3), st.floats(0, 2), st.floats(-1, 1))
def test_more_discernment_is_never_less(seed: int, d_prime: float, more: float, bias: float) -> None:
    """Of one seed, a higher d' has no hit less and no false alarm more; a higher criterion accepts nothing more."""
    one, other = simulated(d_prime, bias, 60, seed), simulated(d_prime + more, bias, 60, seed)
    stern = simulated(d_prime, bias + more, 60, seed)
    for at, claim in enumerate(one):
        assert (other[at].accepted >= claim.accepted) if claim.is_true else (other[at].accepted <= claim.accepted)
        assert stern[at].accepted <= claim.accepted
    d_primes = [discernment("simulated", claims).d_prime for claims in (one, other)]
    assert d_primes[0] is not None and d_primes[1] is not None and d_primes[0] <= d_primes[1]


@pytest.mark.parametrize("scatter", [0.0, 1.0])
def test_rates_are_those_of_the_model(scatter: float) -> None:
    """Of 20,000 claims the hits and the false alarms are as the normal distribution says, scattered clusters or not."""
    found = discernment("s", simulated(1.2, -0.4, 20_000, 7, channel="s", size=2, scatter=scatter))
    d_prime, bias = overall(1.2, scatter), overall(-0.4, scatter)
    for accepted, claims, rate in (
        (found.hits, found.true, share_below(d_prime / 2 - bias)),
        (found.false_alarms, found.false, share_below(-d_prime / 2 - bias)),
    ):
        assert binomtest(accepted, claims, rate).pvalue > 0.001
    assert found.clusters == 10_000


def test_doubt_abstains() -> None:
    """Who doubts more abstains more; without doubt nobody does; what is still decided is decided alike."""
    sure, doubtful = simulated(1.0, 0.0, 200, 4), simulated(1.0, 0.0, 200, 4, doubt=0.5)
    assert not any(claim.accepted is None for claim in sure)
    assert 20 < sum(claim.accepted is None for claim in doubtful) < 120
    assert all(two.accepted in (None, one.accepted) for one, two in zip(sure, doubtful, strict=True))


@pytest.mark.parametrize("wrong", [{"n": 0}, {"size": 0}, {"scatter": -1.0}, {"doubt": -0.1}])
def test_what_cannot_be_simulated_is_refused(wrong: dict[str, float]) -> None:
    """No claims, no clusters, negative deviations."""
    with pytest.raises(ValueError, match="cannot be simulated"):
        simulated(**{"d_prime": 1.0, "bias": 0.0, "n": 10, "seed": 0, **wrong})  # type: ignore[arg-type]
