"""d', the criterion, their intervals and p-values: by hand, by their laws, and on simulated agents."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact, norm

from caia_replay.scoring.discernment import Claim, discernment, swapped, z_of
from caia_replay.scoring.discernment_shuffle import shuffle_labels, shuffled
from caia_replay.scoring.exact_rate import share_below
from tests.discernment_law import claims_of, counted, holds, of, overall, recovered, simulated

COUNTS = st.tuples(*[st.integers(1, 60)] * 2).flatmap(
    lambda sizes: st.tuples(st.just(sizes[0]), st.integers(0, sizes[0]), st.just(sizes[1]), st.integers(0, sizes[1]))
)
CLAIMS = st.lists(
    st.builds(
        Claim,
        channel=st.sampled_from(("page", "post")),
        is_true=st.booleans(),
        accepted=st.sampled_from((True, True, False, False, None)),
        task=st.sampled_from("abcdefgh"),
        cluster=st.sampled_from(("", "p", "q", "a")),
    ),
    max_size=40,
)


def test_a_table_by_hand() -> None:
    """Of 20 true 15, of 20 false 5: log-linear rates 15.5/21 and 5.5/21, so d' is 1.2741 and c is 0."""
    found = discernment("page", claims_of(20, 15, 20, 5))
    assert (found.true, found.hits, found.false, found.false_alarms, found.clusters) == (20, 15, 20, 5, 40)
    expected = float(norm.ppf(15.5 / 21) - norm.ppf(5.5 / 21))
    assert found.d_prime == pytest.approx(expected, abs=1e-6) == pytest.approx(1.274, abs=1e-3)
    assert found.criterion == 0.0
    low, high = of(found)[2]
    assert low is not None and high is not None and 0.3 < low < 0.5 and 2.0 < high < 2.3
    json.dumps(found.plain(), allow_nan=False)


def test_perfect_scores_are_finite_and_unbounded() -> None:
    """All of one and none of the other: d' is a number, bounded from below alone; all of both: not at all."""
    perfect = discernment("page", claims_of(10, 10, 10, 0))
    assert perfect.d_prime == pytest.approx(2 * norm.ppf(10.5 / 11), abs=1e-6)
    low, high = of(perfect)[2]
    assert low is not None and 1.0 < low < 2.0 and high is None
    believer = discernment("page", claims_of(10, 10, 10, 10))
    assert (believer.d_prime, of(believer)[2]) == (0.0, (None, None))
    assert believer.criterion is not None and believer.criterion < -1.5
    assert of(believer)[3][0] is None and of(believer)[3][1] is not None
    assert z_of(0, 0) == 0.0 and z_of(0, 10**6) == -z_of(10**6, 10**6) > -6


def test_without_claims_of_both_sorts_nothing_is_told() -> None:
    """None, not 0, for d', c, intervals and bounds; and where everyone abstained, bounds alone."""
    for claims in ([], claims_of(5, 3, 0, 0), claims_of(0, 0, 5, 1)):
        found = discernment("page", claims)
        assert {found.d_prime, found.criterion, found.d_prime_interval, found.bounds} == {None}
    silent = discernment("page", [replace(claim, accepted=None) for claim in claims_of(4, 0, 4, 0)])
    assert (silent.d_prime, silent.abstained_true, silent.abstained_false) == (None, 4, 4)
    assert silent.bounds is not None and silent.bounds[0] == -silent.bounds[1] == pytest.approx(-2 * norm.ppf(0.9))


@given(COUNTS)
def test_it_is_symmetric(counts: tuple[int, int, int, int]) -> None:
    """Swapped labels change d''s sign and keep c; who does the opposite of everything has both of the other sign."""
    claims = claims_of(*counts)
    d_prime, criterion, ends, criterion_ends = of(discernment("page", claims))
    turned = of(discernment("page", swapped(claims)))
    assert turned == (0.0 - d_prime, criterion, _mirrored(ends), criterion_ends)
    opposite = of(discernment("page", [replace(claim, accepted=not claim.accepted) for claim in claims]))
    assert opposite == (0.0 - d_prime, 0.0 - criterion, _mirrored(ends), _mirrored(criterion_ends))


@given(COUNTS)
def test_one_hit_more_is_more_and_one_false_alarm_more_is_less(counts: tuple[int, int, int, int]) -> None:
    """d' rises with hits and falls with false alarms, with both ends; c falls with either; all inside their ends."""
    true, hits, false, alarms = counts
    d_prime, criterion, ends, criterion_ends = of(discernment("page", claims_of(*counts)))
    assert _inside(d_prime, ends) and _inside(criterion, criterion_ends)
    if hits < true:
        more = of(discernment("page", claims_of(true, hits + 1, false, alarms)))
        assert more[0] > d_prime and more[1] < criterion
    if alarms < false:
        less = of(discernment("page", claims_of(true, hits, false, alarms + 1)))
        assert less[0] < d_prime and less[1] < criterion


@given(CLAIMS, st.randoms(use_true_random=False))
def test_abstentions_are_counted_apart_and_bounded(claims: list[Claim], random: object) -> None:
    """Order changes nothing; every way to decide the abstained ones ends inside the bounds, and two ways at them."""
    mixed = list(claims)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    for name in {claim.channel for claim in claims}:
        found = discernment(name, claims)
        assert discernment(name, mixed) == found
        own = [claim for claim in claims if claim.channel == name]
        assert found.true + found.false + found.abstained_true + found.abstained_false == len(own)
        if found.bounds is None:
            continue
        ways = [
            discernment(name, [_decided(claim, *way) for claim in own]).d_prime
            for way in product((True, False), repeat=2)
        ]
        assert found.bounds == (min(filter(_number, ways)), max(filter(_number, ways)))


def test_alike_claims_of_a_cluster_are_fewer() -> None:
    """Ten projects that each answer all alike are ten, not a hundred; claims that differ are no more than they are."""
    agent = simulated(1.0, 0.0, 100, 3)
    alone = of(discernment("simulated", agent))[2]
    grouped = [replace(claim, cluster=f"p{at // 10}") for at, claim in enumerate(agent)]
    repeated = [replace(agent[at // 20 * 2 + at % 2], cluster=f"p{at // 20}", task=f"t{at}") for at in range(200)]
    assert _width(of(discernment("simulated", grouped))[2]) >= _width(alone)
    assert _width(of(discernment("simulated", repeated))[2]) > 2 * _width(alone)
    few = [replace(claim, cluster=f"p{at // 25}") for at, claim in enumerate(agent)]
    found = discernment("simulated", few)
    assert found.d_prime is not None and found.d_prime_interval is None and found.clusters == 4


def test_a_perfect_score_in_clusters_counts_clusters() -> None:
    """Where nothing varies each cluster is one claim: the ends are further out than a claim each would have them."""
    perfect = claims_of(20, 20, 20, 0)
    clustered = [replace(claim, cluster=f"p{at % 10}") for at, claim in enumerate(perfect)]
    least, alone = of(discernment("page", clustered))[2][0], of(discernment("page", perfect))[2][0]
    assert least is not None and alone is not None and least < alone - 1


def test_each_figure_has_the_clusters_it_varies_with() -> None:
    """Projects believed or not, whatever is said of them, make c less certain and not d'; a task is no project."""
    told = [(at, sort) for at in range(40) for sort in (True, False)]
    alone = [Claim("page", sort, at % 2 == 0, f"t{at} {sort}") for at, sort in told]
    grouped = [replace(claim, cluster=f"p{at}") for claim, (at, _) in zip(alone, told, strict=True)]
    before, after = (of(discernment("page", claims)) for claims in (alone, grouped))
    assert _width(after[2]) < 1.1 * _width(before[2]) and _width(after[3]) > 1.3 * _width(before[3])
    names = [Claim("page", True, True, "a"), Claim("page", False, True, "b", "a")]
    assert discernment("page", names).clusters == 2


@pytest.mark.check
def test_simulated_agents_are_recovered() -> None:
    """A sample of what the soak tests measure: 40 seeds on a coarse grid."""
    held = [recovered(d_prime, bias, n, 40) for d_prime, bias, n in product((0.0, 1.5, 3.0), (-1.0, 1.0), (20, 100))]
    assert min(min(pair) for pair in held) >= 36
    assert sum(map(sum, held)) >= 0.95 * 80 * len(held)


@pytest.mark.check
def test_every_outcome_of_ten_and_ten_is_covered() -> None:
    """At least 95.6 % everywhere on the grid, by counting."""
    assert counted(10) > 0.956


def _mirrored(ends: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    low, high = (None if end is None else 0.0 - end for end in ends)
    return high, low


def _inside(value: float, ends: tuple[float | None, float | None]) -> bool:
    return (ends[0] is None or ends[0] < value) and (ends[1] is None or value < ends[1])


def _width(ends: tuple[float | None, float | None]) -> float:
    assert ends[0] is not None and ends[1] is not None
    return ends[1] - ends[0]


def _decided(claim: Claim, if_true: bool, if_false: bool) -> Claim:
    decided = if_true if claim.is_true else if_false
    return replace(claim, accepted=decided) if claim.accepted is None else claim


def _number(value: float | None) -> bool:
    return value is not None


DEALT = st.lists(
    st.builds(
        Claim, st.sampled_from("xy"), st.booleans(), st.sampled_from((True, False, None)), st.sampled_from("abcdef")
    ),
    max_size=30,
)


@given(DEALT, st.integers(0, 99))
def test_shuffling_deals_the_labels_anew(claims: list[Claim], seed: int) -> None:
    """As many true ones, nothing else changed, equal for equal seeds; a task with one label has one label again."""
    made = shuffled(claims, seed)
    assert made == shuffled(claims, seed)
    assert [replace(claim, is_true=True) for claim in made] == [replace(claim, is_true=True) for claim in claims]
    assert sum(claim.is_true for claim in made) == sum(claim.is_true for claim in claims)
    labels, before = ({task: labels_of(told, task) for task in "abcdef"} for told in (made, claims))
    for task, had in before.items():
        assert (len(labels[task]) == len(had)) if len(had) < 2 else labels[task] == had


def test_shuffled_labels_discern_nothing() -> None:
    """0 is inside the interval of an agent of d' 2 under shuffled labels, and its own is not; on average it is 0."""
    agent = simulated(2.0, 0.2, 120, 5)
    found = [of(discernment("simulated", shuffled(agent, seed))) for seed in range(40)]
    assert sum(holds(one[2], 0.0) for one in found) >= 37
    assert abs(sum(one[0] for one in found)) / 40 < 0.15
    assert not holds(of(discernment("simulated", agent))[2], 0.0)


def p_value(claims: list[Claim], draws: int = 1_999) -> Fraction | None:
    """How likely labels that mean nothing give a d' as far from 0."""
    found = shuffle_labels(claims, draws=draws)
    return None if found is None else found.p


@pytest.mark.parametrize("counts", [(20, 15, 20, 5), (20, 12, 20, 9), (15, 9, 15, 7)])
def test_the_p_value_is_fishers(counts: tuple[int, int, int, int]) -> None:
    """With a claim a task it is Fisher's exact test where both sorts are as many; never 0; nothing decided has none."""
    true, hits, false, alarms = counts
    found = p_value(claims_of(*counts))
    exact = float(fisher_exact([[hits, true - hits], [alarms, false - alarms]])[1])
    assert found is not None and abs(float(found) - exact) < 0.035
    assert p_value(list(reversed(claims_of(*counts)))) == found
    assert p_value(claims_of(30, 30, 30, 0), draws=99) == Fraction(1, 100)
    assert p_value(claims_of(30, 30, 0, 0)) is None
    assert p_value([replace(claim, accepted=None) for claim in claims_of(3, 3, 3, 0)]) is None


def test_repeated_runs_of_a_task_are_no_new_labels() -> None:
    """Ten tasks, each told ten times, have ten labels: a split that a hundred tasks would show says little."""
    alone = claims_of(50, 35, 50, 15)
    repeated = [replace(claim, task=f"t{at // 10}") for at, claim in enumerate(alone)]
    lone, often = p_value(alone), p_value(repeated)
    assert lone is not None and often is not None and lone < 0.002 < 0.005 < often


def labels_of(claims: list[Claim], task: str) -> Counter[bool]:
    """A task's labels, one of each sort that it has."""
    return Counter({claim.is_true for claim in claims if claim.task == task})


def test_what_shuffled_labels_give_is_told() -> None:
    """The middle 95 % of their d' holds what an agent of d' 0 shows, not one of d' 2; nothing decided has none."""
    for d_prime, is_held in ((0.0, True), (2.0, False)):
        agent = simulated(d_prime, 0.2, 120, 5)
        found, own = shuffle_labels(agent, draws=199), discernment("simulated", agent).d_prime
        assert found is not None and found.low is not None and found.high is not None and own is not None
        assert found.low < 0 < found.high and (found.low <= own <= found.high) is is_held
        assert (found.p > Fraction(1, 20)) is is_held
        assert found.plain() == {"draws": 199, "p": round(float(found.p), 6), "low": found.low, "high": found.high}
        assert shuffle_labels(agent[::-1], draws=199) == found
    assert shuffle_labels([]) is None


def test_a_draw_without_a_d_prime_is_no_draw() -> None:
    """One claim of each sort decided, ten abstained: most draws have none, and every other is as far out, so p is 1."""
    decided = [Claim("page", True, True, "a"), Claim("page", False, False, "b")]
    found = shuffle_labels([*decided, *(Claim("page", True, None, f"t{at}") for at in range(10))], draws=199)
    assert found is not None and 0 < found.draws < 199 and found.p == 1


seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 50), st.floats(0, 3), st.floats(-1, 1))
def test_it_is_a_function_of_its_arguments(seed: int, n: int, d_prime: float, bias: float) -> None:
    """Equal arguments give equal claims; half are true; tasks differ."""
    made = simulated(d_prime, bias, n, seed)
    assert made == simulated(d_prime, bias, n, seed)
    assert len({claim.task for claim in made}) == n and sum(claim.is_true for claim in made) == (n + 1) // 2


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
