"""Labels and channels exchanged by chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from caia_replay.scoring.discernment import Claim, discernment
from caia_replay.scoring.discernment_shuffle import exchange_test, shuffle_labels, shuffle_test, shuffled
from caia_replay.scoring.discernment_simulation import simulated
from tests.discernment_law import claims_of, holds, of

CLAIMS = st.lists(
    st.builds(
        Claim, st.sampled_from("xy"), st.booleans(), st.sampled_from((True, False, None)), st.sampled_from("abcdef")
    ),
    max_size=30,
)


@given(CLAIMS, st.integers(0, 99))
def test_shuffling_deals_the_labels_anew(claims: list[Claim], seed: int) -> None:
    """As many true ones, nothing else changed, equal for equal seeds; a task with one label has one label again."""
    made = shuffled(claims, seed)
    assert made == shuffled(claims, seed)
    assert [replace(claim, is_true=True) for claim in made] == [replace(claim, is_true=True) for claim in claims]
    assert sum(claim.is_true for claim in made) == sum(claim.is_true for claim in claims)
    labels, before = ({task: _labels(told, task) for task in "abcdef"} for told in (made, claims))
    for task, had in before.items():
        assert (len(labels[task]) == len(had)) if len(had) < 2 else labels[task] == had


def test_shuffled_labels_discern_nothing() -> None:
    """0 is inside the interval of an agent of d' 2 under shuffled labels, and its own is not; on average it is 0."""
    agent = simulated(2.0, 0.2, 120, 5)
    found = [of(discernment("simulated", shuffled(agent, seed))) for seed in range(40)]
    assert sum(holds(one[2], 0.0) for one in found) >= 37
    assert abs(sum(one[0] for one in found)) / 40 < 0.15
    assert not holds(of(discernment("simulated", agent))[2], 0.0)


@pytest.mark.parametrize("counts", [(20, 15, 20, 5), (20, 12, 20, 9), (15, 9, 15, 7)])
def test_the_p_value_is_fishers(counts: tuple[int, int, int, int]) -> None:
    """With a claim a task it is the share of tables as far out: Fisher's exact test where both sorts are as many."""
    true, hits, false, alarms = counts
    found = shuffle_test(claims_of(*counts))
    exact = float(fisher_exact([[hits, true - hits], [alarms, false - alarms]])[1])
    assert found is not None and abs(float(found) - exact) < 0.035
    assert shuffle_test(list(reversed(claims_of(*counts)))) == found


def test_a_p_value_is_never_0() -> None:
    """Of 99 draws the least is one in a hundred; nothing decided of one sort has none."""
    assert shuffle_test(claims_of(30, 30, 30, 0), draws=99) == Fraction(1, 100)
    assert shuffle_test(claims_of(30, 30, 0, 0)) is None
    assert shuffle_test([replace(claim, accepted=None) for claim in claims_of(3, 3, 3, 0)]) is None


def test_repeated_runs_of_a_task_are_no_new_labels() -> None:
    """Ten tasks, each told ten times, have ten labels: a split that a hundred tasks would show says little."""
    alone = claims_of(50, 35, 50, 15)
    repeated = [replace(claim, task=f"t{at // 10}") for at, claim in enumerate(alone)]
    lone, often = shuffle_test(alone), shuffle_test(repeated)
    assert lone is not None and often is not None and lone < 0.002 < 0.005 < often


@settings(max_examples=20)
@given(st.integers(0, 999))
def test_exchanged_channels_know_no_order(seed: int) -> None:
    """The p-value is the same either way, and 1 of a channel against its own copy."""
    one, two = simulated(1.0, 0.0, 40, seed, channel="a"), simulated(1.5, 0.0, 40, seed + 1, channel="b")
    assert exchange_test("a", "b", [*one, *two], draws=99) == exchange_test("b", "a", [*one, *two], draws=99)
    copy = [replace(claim, channel="b") for claim in one]
    assert exchange_test("a", "b", [*one, *copy], draws=99) == 1


def test_channels_that_differ_are_told_apart() -> None:
    """d' of 2.5 against 0 over the same hundred tasks; None without a channel."""
    claims = [*simulated(2.5, 0.0, 100, 1, channel="docs"), *simulated(0.0, 0.0, 100, 2, channel="post")]
    found = exchange_test("docs", "post", claims, draws=499)
    assert found is not None and found <= Fraction(1, 100)
    assert exchange_test("docs", "news", claims) is None


def _labels(claims: list[Claim], task: str) -> Counter[bool]:
    """A task's labels, one of each sort that it has."""
    return Counter({claim.is_true for claim in claims if claim.task == task})


def test_what_shuffled_labels_give_is_told() -> None:
    """The middle 95 % of their d' holds what an agent of d' 0 shows, not one of d' 2; nothing decided has none."""
    for d_prime, is_held in ((0.0, True), (2.0, False)):
        agent = simulated(d_prime, 0.2, 120, 5)
        found, own = shuffle_labels(agent, draws=199), discernment("simulated", agent).d_prime
        assert found is not None and found.low is not None and found.high is not None and own is not None
        assert found.low < 0 < found.high and (found.low <= own <= found.high) is is_held
        assert found.p == shuffle_test(agent, draws=199) and (found.p > Fraction(1, 20)) is is_held
        assert found.plain() == {"draws": 199, "p": round(float(found.p), 6), "low": found.low, "high": found.high}
    assert shuffle_labels([]) is None


@given(st.permutations(claims_of(9, 6, 9, 2)))
def test_the_order_of_claims_moves_nothing(claims: list[Claim]) -> None:
    """Neither p nor range."""
    assert shuffle_labels(claims, draws=19) == shuffle_labels(claims_of(9, 6, 9, 2), draws=19)
