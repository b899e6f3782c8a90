"""Dose response against brute force and scipy."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from caia_replay.scoring import dose_response as module
from caia_replay.scoring.dose_response import DosePoint, dose_response, isotonic, paired_trend, trend
from caia_replay.scoring.interval import wilson

shares = st.fractions(0, 1, max_denominator=20)
curves = st.lists(st.tuples(shares, st.integers(1, 20)), min_size=1, max_size=8)
small = st.lists(
    st.integers(1, 4).flatmap(lambda runs: st.tuples(st.just(runs), st.integers(0, runs))), min_size=1, max_size=4
)


def points(counts: list[tuple[int, int]], levels: list[Fraction] | None = None) -> list[DosePoint]:
    known = levels or [Fraction(at) for at in range(len(counts))]
    return [DosePoint(level, runs, adopted) for level, (runs, adopted) in zip(known, counts, strict=True)]


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=50, deadline=None)
@given(small, st.lists(st.fractions(0, 9, max_denominator=3), min_size=4, max_size=4, unique=True))
def test_the_trend_is_what_brute_force_counts(counts: list[tuple[int, int]], levels: list[Fraction]) -> None:
    """Every way to choose who adopted: how many sums of levels are as far from their mean."""
    given_ = points(counts, levels[: len(counts)])
    scores = [point.level for point in given_ for _ in range(point.runs)]
    taken = sum(point.adopted for point in given_)
    middle = taken * sum(scores, Fraction(0)) / len(scores)
    seen = abs(sum((point.level * point.adopted for point in given_), Fraction(0)) - middle)
    ways = [abs(sum(way, Fraction(0)) - middle) >= seen for way in combinations(scores, taken)]
    assert trend(given_) == (Fraction(sum(ways), len(ways)), True)


@settings(max_examples=50, deadline=None)
@given(small)
def test_a_trend_knows_no_scale_side_or_direction(counts: list[tuple[int, int]]) -> None:
    """Other units of dose, counting who did not adopt, and the dose read backwards give the same p-value."""
    found = trend(points(counts))
    assert found == trend(points(counts, [Fraction(3 * at, 7) + 2 for at in range(len(counts))]))
    assert found == trend(points([(runs, runs - adopted) for runs, adopted in counts]))
    assert found == trend(points(counts, [Fraction(-at) for at in range(len(counts))]))


def test_what_cannot_be_counted_is_drawn_from_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the limit ways are drawn: the same for one seed, near the counted value, never zero."""
    given_ = points([(8, 1), (8, 2), (8, 5)])
    exact, counted = trend(given_)
    monkeypatch.setattr(module, "MOST_COUNTED", 10)
    drawn, told = trend(given_, seed=1)
    assert (counted, told) == (True, False) and (drawn, told) == trend(given_, seed=1)
    assert float(drawn) == pytest.approx(float(exact), abs=0.03)
    assert trend(points([(60, 0), (60, 60)]), draws=99) == (Fraction(1, 100), False)


def test_a_curve_has_rates_intervals_and_a_fit() -> None:
    """Rows by rising dose whatever order they came in; a fall is pooled; a rise is a trend."""
    found = dose_response(
        [DosePoint(Fraction(4), 20, 18, "four"), DosePoint(Fraction(1), 20, 6), DosePoint(Fraction(2), 20, 4)]
    )
    assert [(row.point.level, row.rate, row.fitted) for row in found.rows] == [
        *((1, 0.3, 0.25), (2, 0.2, 0.25)),
        (4, 0.9, 0.9),
    ]
    assert [row.interval for row in found.rows] == [wilson(6, 20), wilson(4, 20), wilson(18, 20)]
    assert found.trend_p < Fraction(1, 1000) and found.counted
    assert dose_response(points([(9, 3), (9, 3)])).trend_p == 1
    assert dose_response(points([(9, 3)])).trend_p == 1


def test_no_curve_is_refused() -> None:
    """No point, a level twice, no run, more adopted than ran."""
    for given_ in ([], points([(2, 1), (2, 1)], [Fraction(1)] * 2), points([(0, 0)]), points([(2, 3)])):
        with pytest.raises(ValueError, match=r"are no curve|is no proportion"):
            dose_response(given_)


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
