"""Paired effects against scipy, their laws, and how often their intervals hold the truth."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from caia_replay.scoring.effect import Z_90, Difference, paired_effect, students_t
from caia_replay.scoring.interval import Z_95
from caia_replay.scoring.paired import sign_flip

SUITE = [26, 21, 20, 18, 12, 9, 8, 7, 6, 4, 4, *[3] * 4, *[2] * 10, *[1] * 11]
"""How many tasks of synthetic-178 are about each project."""

values = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.fractions(-1, 1, max_denominator=5)), min_size=1, max_size=25
)


def of(pairs: list[tuple[str, Fraction]]) -> list[Difference]:
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
    chance = Random(5)
    pairs = [(f"c{at}", Fraction(chance.choice((-1, 0, 0, 1, 1)))) for at in range(12) for _ in range(at % 3 + 1)]
    found = paired_effect(of(pairs))
    assert found is not None and found.interval is not None
    sums = [(float(sum(v for c, v in pairs if c == f"c{at}")), at % 3 + 1.0) for at in range(12)]
    many, size = 24, sqrt(24 / 12)
    more = [*sums, (size, size), (-size, size)]
    whole = many + 2 * size
    middle = sum(s for s, _ in more) / whole
    error = sqrt(14 / 13 * sum((s - middle * n) ** 2 for s, n in more)) / whole
    away = t.ppf(0.975, many**2 / sum(n * n for _, n in sums) - 1) * error
    assert [float(end) for end in found.interval] == pytest.approx([middle - away, middle + away], abs=1e-5)
    assert (found.tasks, found.projects, found.mean) == (24, 12, Fraction(int(sum(s for s, _ in sums)), 24))


@settings(max_examples=60, deadline=None)
@given(values, st.randoms(use_true_random=False))
def test_an_effect_is_of_the_set_of_differences(pairs: list[tuple[str, Fraction]], random: object) -> None:
    """Order and names change nothing; its p-value is that of flipped cluster sums; the interval holds the mean."""
    found = paired_effect(of(pairs))
    mixed = [(name + "x", value) for name, value in pairs]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert found == paired_effect(of(mixed)) and found is not None
    names = sorted({name for name, _ in pairs})
    sums = [sum((value for own, value in pairs if own == name), Fraction(0)) for name in names]
    assert (found.p, found.counted) == sign_flip(sums)
    if found.interval is not None and found.interval_90 is not None:
        assert -1 <= found.interval[0] <= found.interval_90[0] <= found.mean
        assert found.mean <= found.interval_90[1] <= found.interval[1] <= 1
        assert found.interval[0] < found.interval[1]


@settings(max_examples=60, deadline=None)
@given(values)
def test_the_other_way_round_it_is_mirrored_and_in_other_units_scaled(pairs: list[tuple[str, Fraction]]) -> None:
    """Swapping the arms mirrors the interval; counting in dollars scales it with the reach; p stays."""
    found = paired_effect(of(pairs))
    mirrored = paired_effect(of([(name, -value) for name, value in pairs]))
    scaled = paired_effect(of([(name, 700 * value) for name, value in pairs]), Fraction(700))
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
    """All of the shipped suite's tasks alike: within five points, not within three; of ten tasks, not within five."""
    zero = [Difference(f"{at}", Fraction(0)) for at, size in enumerate(SUITE) for _ in range(size)]
    found = paired_effect(zero)
    assert found is not None
    # Its 90 % interval reaches to 3.1 points, its 95 % interval to 3.8.
    verdicts = [found.is_within(Fraction(margin, 1000)) for margin in (50, 33, 30)]
    assert verdicts == [True, True, False]
    small = paired_effect(zero[:1] + [Difference(f"x{at}", Fraction(0)) for at in range(9)])
    assert small is not None and small.is_within(Fraction(5, 100)) is False
    with pytest.raises(ValueError, match="no margin"):
        found.is_within(Fraction(0))


def test_a_real_effect_is_not_within_the_margin() -> None:
    """A tenth of all tasks lost is not within five points, though each project lost little; both sides must hold."""
    for sign in (1, -1):
        found = paired_effect([Difference(f"{at // 3}", Fraction(sign * (at % 10 == 0))) for at in range(180)])
        assert found is not None and found.is_within(Fraction(5, 100)) is False
        assert found.interval is not None and min(abs(end) for end in found.interval) > 0.05


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
            found = paired_effect(of(pairs))
            assert found is not None and found.interval is not None
            held += found.interval[0] <= up - down <= found.interval[1]
            drawn += 1
    assert binomtest(held, drawn).proportion_ci(confidence_level=0.999).high >= 0.95
    assert held / drawn < 0.995
