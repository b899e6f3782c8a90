"""Paired tests against scipy, statsmodels, brute force, and hand counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from caia_replay.scoring import paired
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.scoring.paired import Paired, compare, holm, mcnemar, sign_flip

differences = st.lists(st.fractions(-1, 1, max_denominator=12), min_size=1, max_size=9)


def task(name: str, right: int, runs: int = 5, project: str | None = None) -> list[ScoredRun]:
    """A task's runs, the first ``right`` of them right, the others alike wrong."""
    return [
        ScoredRun(name, "overlap", n, n < right, "1" if n < right else "2", "answered", project=project)
        for n in range(runs)
    ]


@settings(max_examples=200)
@given(st.integers(0, 90), st.integers(0, 90))
def test_mcnemar_is_scipys_and_statsmodels(first: int, second: int) -> None:
    """Equal to a two-sided binomial test of one half, and to McNemar's exact test."""
    found = float(mcnemar(first, second))
    assert found == pytest.approx(binomtest(first, first + second).pvalue if first + second else 1, rel=1e-9)
    assert found == pytest.approx(their_mcnemar([[3, first], [second, 7]], exact=True).pvalue, rel=1e-9)


def test_mcnemar_by_hand() -> None:
    """Five against none is 2/32; six is the first to be under 5 %; nothing discordant tells nothing."""
    assert (mcnemar(5, 0), mcnemar(0, 6), mcnemar(0, 0), mcnemar(4, 4)) == (Fraction(1, 16), Fraction(1, 32), 1, 1)
    with pytest.raises(ValueError, match="no counts"):
        mcnemar(-1, 3)


@settings(max_examples=150)
@given(differences)
def test_flips_are_counted_as_brute_force_counts_them(given_: list[Fraction]) -> None:
    """All signs in turn: how many sums are at least as far from zero."""
    apart = abs(sum(given_))
    sums = [abs(sum(sign * one for sign, one in zip(signs, given_))) for signs in product((1, -1), repeat=len(given_))]
    assert sign_flip(given_) == (Fraction(sum(one >= apart for one in sums), len(sums)), True)


@settings(max_examples=50)
@given(differences)
def test_flips_know_no_order_sign_or_scale(given_: list[Fraction]) -> None:
    """The p-value is of the set of differences, whichever side comes first and whatever they are counted in."""
    found = sign_flip(given_)
    assert found == sign_flip(given_[::-1]) == sign_flip([-one for one in given_])
    assert found == sign_flip([one * Fraction(7, 3) for one in given_]) == sign_flip([*given_, Fraction(0)])


@settings(max_examples=50)
@given(st.integers(0, 40), st.integers(0, 40))
def test_flips_of_ones_are_mcnemars_test(first: int, second: int) -> None:
    """Differences of one task each way are discordant pairs."""
    assert sign_flip([Fraction(1)] * first + [Fraction(-1)] * second)[0] == mcnemar(first, second)


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


@settings(max_examples=25, deadline=None)
@given(st.lists(st.builds(Fraction, st.integers(0, 99), st.just(99)), min_size=1, max_size=20))
def test_holm_is_statsmodels(p_values: list[Fraction]) -> None:
    """The corrected p-values, in the order given."""
    _, theirs, _, _ = multipletests([float(one) for one in p_values], method="holm")
    assert [float(one) for one in holm(p_values)] == pytest.approx(list(theirs), abs=1e-12)


def test_holm_by_hand() -> None:
    """0.01, 0.04, 0.03 become 0.03, 0.06, 0.06: the second step down is kept by the third."""
    assert holm([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100)]) == [
        Fraction(3, 100),
        Fraction(6, 100),
        Fraction(6, 100),
    ]
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
        first_only=2,
        second_only=0,
        majority_p=Fraction(1, 2),
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


def test_a_set_beside_itself_is_no_different() -> None:
    """No difference, every p-value 1."""
    runs = task("a", 3) + task("b", 5)
    same = compare(runs, runs)
    assert same is not None
    assert (same.difference, same.difference_p, same.majority_p) == (0, 1, 1)


def test_nothing_shared_is_no_comparison() -> None:
    """Other tasks, or none scored on one side, compare to nothing."""
    unscored = [ScoredRun("a", "overlap", 0, None, None, "model_fault")]
    assert compare(task("a", 1), task("b", 1)) is None and compare(task("a", 1), unscored) is None
