"""Paired tests, effects and dose response against scipy, statsmodels, brute force and hand counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.stats import binomtest, t
from statsmodels.stats.multitest import multipletests

from caia_replay.scoring import paired
from caia_replay.scoring.dose_response import isotonic, paired_trend
from caia_replay.scoring.effect import Z_90, Difference, paired_effect
from caia_replay.scoring.interval import Z_95, students_t
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.scoring.paired import Paired, compare, holm, sign_flip

differences = st.lists(st.fractions(-1, 1, max_denominator=12), min_size=1, max_size=9)


def task(name: str, right: int, runs: int = 5, project: str | None = None) -> list[ScoredRun]:
    """A task's runs, the first ``right`` of them right, the others alike wrong."""
    return [
        ScoredRun(name, "overlap", n, n < right, "1" if n < right else "2", "answered", project=project)
        for n in range(runs)
    ]


@given(differences)
def test_flips_are_counted_as_brute_force_counts_them(given_: list[Fraction]) -> None:
    """All signs in turn: how many sums are at least as far from zero."""
    apart = abs(sum(given_))
    sums = [abs(sum(sign * one for sign, one in zip(signs, given_))) for signs in product((1, -1), repeat=len(given_))]
    assert sign_flip(given_) == (Fraction(sum(one >= apart for one in sums), len(sums)), True)


@given(st.integers(0, 40), st.integers(0, 40))
def test_flips_of_ones_are_a_binomial_test(first: int, second: int) -> None:
    """Differences of one each way are tosses of a fair coin, as scipy has it."""
    found = float(sign_flip([Fraction(1)] * first + [Fraction(-1)] * second)[0])
    assert found == pytest.approx(binomtest(first, first + second).pvalue if first + second else 1, rel=1e-9)


def test_what_cannot_be_counted_is_drawn_from_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the limit flips are drawn: the same for one seed, near the counted value, and never zero."""
    given_ = [Fraction(number, 7) for number in (5, 3, -2, 6, 1, 4, -1, 2, 7, 3)]
    exact, counted = sign_flip(given_)
    monkeypatch.setattr(paired, "MOST_COUNTED", 10)
    drawn, told = sign_flip(given_, seed=1)
    assert (counted, told) == (True, False)
    assert (drawn, told) == sign_flip(given_, seed=1) != sign_flip(given_, seed=2)
    assert float(drawn) == pytest.approx(float(exact), abs=0.01)
    assert sign_flip([Fraction(1)] * 60)[0] == Fraction(1, 1 + paired.DRAWS)


@settings(max_examples=25)
@given(st.lists(st.builds(Fraction, st.integers(0, 99), st.just(99)), min_size=1, max_size=20))
@pytest.mark.check
def test_holm_is_statsmodels(p_values: list[Fraction]) -> None:
    """The corrected p-values, in the order given; none of none."""
    _, theirs, _, _ = multipletests([float(one) for one in p_values], method="holm")
    assert [float(one) for one in holm(p_values)] == pytest.approx(list(theirs), abs=1e-12)
    assert holm([]) == []


def test_a_comparison_by_hand() -> None:
    """Four shared tasks of three projects; one is scored on one side alone."""
    first = task("a", 5, project="p") + task("b", 4, project="p") + task("c", 5) + task("d", 0) + task("e", 5)
    second = task("a", 2, project="p") + task("b", 1, project="p") + task("c", 3) + task("d", 1)
    assert compare(first, second) == Paired(
        tasks=4,
        left_out=1,
        projects=3,
        difference=Fraction(7, 20),
        # 6, 2 and -1 fifths: of eight signs four leave a sum of at least 7, two of 9 and two of 7
        difference_p=Fraction(4, 8),
        counted=True,
    )


def test_tasks_of_a_project_change_places_together() -> None:
    """Ten tasks won are beyond chance, unless they are about two projects."""
    won = [run for number in range(10) for run in task(f"t{number}", 5)]
    lost = [run for number in range(10) for run in task(f"t{number}", 0)]
    apart = compare(won, lost)
    together = compare([ScoredRun(run.task, run.category, run.attempt, run.correct, run.reading, run.stop,
                                  project=str(int(run.task[1:]) % 2)) for run in won], lost)  # fmt: skip
    assert apart is not None and together is not None
    assert (apart.difference_p, together.difference_p) == (Fraction(2, 1024), Fraction(1, 2))
    assert (together.projects, together.difference) == (2, 1)


def test_a_set_beside_itself_is_no_different_and_nothing_shared_is_no_comparison() -> None:
    """No difference has every p-value 1; other tasks, or none scored on one side, compare to nothing."""
    runs = task("a", 3) + task("b", 5)
    same = compare(runs, runs)
    assert same is not None and (same.difference, same.difference_p) == (0, 1)
    unscored = [ScoredRun("a", "overlap", 0, None, None, "model_fault")]
    assert compare(task("a", 1), task("b", 1)) is None and compare(task("a", 1), unscored) is None


SUITE = [26, 22, 20, 19, 10, 9, 8, 6, 6, 4, 4, *[3] * 4, *[2] * 10, *[1] * 12]
"""How many tasks of synthetic-178 are about each project."""

named_values = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.fractions(-1, 1, max_denominator=5)), min_size=1, max_size=25
)


def effects_of(pairs: list[tuple[str, Fraction]]) -> list[Difference]:
    return [Difference(*pair) for pair in pairs]


@pytest.mark.parametrize("freedom", [4, 5, Fraction(63, 5), 30, 177])
def test_t_is_scipys(freedom: Fraction) -> None:
    """Both quantiles, at whole and broken degrees of freedom, to what the docstring promises."""
    for z, quantile in ((Z_95, 0.975), (Z_90, 0.95)):
        close = 1 / 3000 if freedom < 10 else 1 / 200_000
        assert float(students_t(z, Fraction(freedom))) == pytest.approx(t.ppf(quantile, float(freedom)), rel=close)
    with pytest.raises(ValueError, match="3 degrees"):
        students_t(Z_95, Fraction(3))


def test_it_is_the_interval_that_its_formula_gives() -> None:
    """The ends equal a computation in floats by scipy, over clusters of one to three tasks."""
    chance = Random(4)
    pairs = [(f"c{at}", Fraction(chance.choice((-1, 0, 0, 1, 1)))) for at in range(12) for _ in range(at % 3 + 1)]
    found = paired_effect(effects_of(pairs))
    assert found is not None and found.interval is not None
    own = [np.array([float(value) for name, value in pairs if name == f"c{at}"]) for at in range(12)]
    every = np.concatenate(own)
    within = sum(((values - values.mean()) ** 2).sum() for values in own) / (24 - 12)
    between = sum(len(values) * (values.mean() - every.mean()) ** 2 for values in own)
    squares = sum(len(values) ** 2 for values in own)
    variance = within / 24 + (between - 11 * within) / (24 - squares / 24) * squares / 24**2
    assert variance > 0.7 * every.var(ddof=1) / 24 > 2 / 24 / 12
    away = t.ppf(0.975, 24**2 / squares - 1) * sqrt(variance)
    assert [float(end) for end in found.interval] == pytest.approx([every.mean() - away, every.mean() + away], abs=1e-5)
    assert (found.tasks, found.projects, found.mean) == (24, 12, Fraction(int(every.sum()), 24))


@given(named_values, st.randoms(use_true_random=False))
def test_an_effect_is_of_the_set_of_differences(pairs: list[tuple[str, Fraction]], random: object) -> None:
    """Order and names change nothing; its p-value is that of flipped cluster sums; the interval holds the mean."""
    found = paired_effect(effects_of(pairs))
    mixed = [(name + "x", value) for name, value in pairs]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert found == paired_effect(effects_of(mixed)) and found is not None
    names = sorted({name for name, _ in pairs})
    sums = [sum((value for own, value in pairs if own == name), Fraction(0)) for name in names]
    assert (found.p, found.counted) == sign_flip(sums)
    if found.interval is not None and found.interval_90 is not None:
        assert -1 <= found.interval[0] <= found.interval_90[0] <= found.mean
        assert found.mean <= found.interval_90[1] <= found.interval[1] <= 1
        assert found.interval[0] < found.interval[1]
        # Where the test tells the direction, no end lies beyond 0.
        assert found.p > Fraction(1, 20) or found.interval[0] * found.interval[1] >= 0


def test_a_few_losses_in_one_direction_end_at_zero() -> None:
    """Thirteen tasks of eleven projects lost and none won: p is 1 in 1,024, and the interval does not go above 0."""
    lost = {1: 1, 2: 1, 4: 1, 6: 1, 12: 1, 19: 2, 21: 1, 22: 2, 31: 1, 34: 1, 35: 1}
    found = paired_effect(
        Difference(f"{at}", Fraction(-(number < lost.get(at, 0))))
        for at, size in enumerate(SUITE)
        for number in range(size)
    )
    assert found is not None and found.interval is not None
    assert found.p == Fraction(1, 1024) and found.interval[0] < found.mean < found.interval[1] == 0


@given(named_values)
def test_the_other_way_round_it_is_mirrored_and_in_other_units_scaled(pairs: list[tuple[str, Fraction]]) -> None:
    """Swapping the arms mirrors the interval; counting in dollars scales it with the reach; p stays."""
    found = paired_effect(effects_of(pairs))
    mirrored = paired_effect(effects_of([(name, -value) for name, value in pairs]))
    scaled = paired_effect(effects_of([(name, 700 * value) for name, value in pairs]), Fraction(700))
    assert found is not None and mirrored is not None and scaled is not None
    assert found.mean == -mirrored.mean == scaled.mean / 700 and found.p == mirrored.p == scaled.p
    if found.interval is None:
        assert mirrored.interval is None and scaled.interval is None
        return
    assert mirrored.interval is not None and scaled.interval is not None
    assert [float(end) for end in found.interval] == pytest.approx([-float(end) for end in mirrored.interval[::-1]])
    assert [float(end) * 700 for end in found.interval] == pytest.approx([float(end) for end in scaled.interval])


def test_few_projects_are_no_sample() -> None:
    """Nothing has no effect; four projects, or five of which one has nearly all tasks, have no interval."""
    assert paired_effect([]) is None
    four = paired_effect([Difference(f"{at % 4}", Fraction(1)) for at in range(40)])
    uneven = paired_effect([Difference(f"{max(at - 30, 0)}", Fraction(1)) for at in range(36)])
    for found in (four, uneven):
        assert found is not None and found.interval is None and found.is_within(Fraction(1, 20)) is None


def test_no_difference_seen_is_none_within_a_margin_that_the_sample_can_show() -> None:
    """All of the shipped suite's tasks alike: within five points, not three; ten tasks not; nor a tenth lost."""
    zero = [Difference(f"{at}", Fraction(0)) for at, size in enumerate(SUITE) for _ in range(size)]
    found = paired_effect(zero)
    assert found is not None
    # Its 90 % interval reaches to 3.1 points, its 95 % interval to 3.8.
    verdicts = [found.is_within(Fraction(margin, 1000)) for margin in (50, 33, 30)]
    assert verdicts == [True, True, False]
    small = paired_effect(zero[:1] + [Difference(f"x{at}", Fraction(0)) for at in range(9)])
    assert small is not None and small.is_within(Fraction(5, 100)) is False
    for sign in (1, -1):
        lost = paired_effect([Difference(f"{at // 3}", Fraction(sign * (at % 10 == 0))) for at in range(180)])
        assert lost is not None and lost.interval is not None and lost.is_within(Fraction(5, 100)) is False
        assert min(abs(end) for end in lost.interval) > 0.05
    with pytest.raises(ValueError, match="no margin"):
        found.is_within(Fraction(0))


@pytest.mark.check
def test_intervals_hold_the_truth_in_about_95_of_100() -> None:
    """Clusters of the shipped suite whose rates scatter: 80 draws each of a small, a large and no effect."""
    chance, held, drawn = Random(11), 0, 0
    for up, down in ((0.02, 0.02), (0.1, 0.1), (0.5, 0.05), (0.05, 0.6)):
        for _ in range(80):
            pairs: list[tuple[str, Fraction]] = []
            for at, size in enumerate(SUITE):
                first = chance.betavariate(9 * up, 9 * (1 - up))
                second = chance.betavariate(9 * down, 9 * (1 - down))
                whole = max(1, first + second)
                for _ in range(size):
                    place = chance.random() * whole
                    pairs.append((f"{at}", Fraction((place < first) - (first <= place < first + second))))
            found = paired_effect(effects_of(pairs))
            assert found is not None and found.interval is not None
            held += found.interval[0] <= up - down <= found.interval[1]
            drawn += 1
    assert binomtest(held, drawn).proportion_ci(confidence_level=0.999).high >= 0.95
    assert held / drawn < 0.995


shares = st.fractions(0, 1, max_denominator=20)
curves = st.lists(st.tuples(shares, st.integers(1, 20)), min_size=1, max_size=8)


@given(curves)
def test_the_fit_is_scipys(curve: list[tuple[Fraction, int]]) -> None:
    """And it never falls, keeps the weighted mean, and is the curve itself where that never falls."""
    values, weights = [value for value, _ in curve], [weight for _, weight in curve]
    found = isotonic(values, weights)
    theirs = isotonic_regression([float(one) for one in values], weights=[float(one) for one in weights]).x
    assert [float(one) for one in found] == pytest.approx(list(theirs), abs=1e-9)
    assert found == sorted(found)
    assert sum(a * w for a, w in zip(found, weights, strict=True)) == sum(a * w for a, w in curve)
    assert isotonic(sorted(values), weights) == sorted(values)


def test_a_paired_trend_is_flipped_by_cluster() -> None:
    """Five tasks that rise are 2 of 32; about one project they are one; a hump, and no task, is no trend."""
    levels = [Fraction(1), Fraction(2), Fraction(9)]
    rising = [Fraction(0), Fraction(1, 2), Fraction(1)]
    assert paired_trend(levels, [(f"c{at}", rising) for at in range(5)]) == Fraction(2, 32)
    assert paired_trend(levels[::-1], [(f"c{at}", rising) for at in range(5)]) == Fraction(2, 32)
    mixed = [levels[1], levels[0], levels[2]]
    assert paired_trend(mixed, [(f"c{at}", [Fraction(1), Fraction(0), Fraction(1)]) for at in range(5)]) < 1
    assert paired_trend(mixed, [(f"c{at}", [Fraction(1), Fraction(0), Fraction(0)]) for at in range(5)]) == 1
    assert paired_trend(levels, [("c", rising)] * 5) == 1
    assert paired_trend(levels, [("c", [Fraction(0), Fraction(1), Fraction(0)])]) == 1
    assert paired_trend(levels, []) == 1
    with pytest.raises(ValueError, match="2 shares at 3 levels"):
        paired_trend(levels, [("c", rising[:2])])
