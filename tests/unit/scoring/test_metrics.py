"""Figures over many runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.metrics import (
    ScoredRun,
    accuracy_bounds,
    by_category,
    by_difficulty,
    by_tag,
    clustered,
    grouped,
    majority,
    pass_at_1,
    pass_at_k,
    pass_hat_k,
    rounded,
)


def run(task: str, attempt: int, correct: bool | None, misses: int = 0, category: str = "overlap") -> ScoredRun:
    """One run whose reading says whether it is right."""
    reading = None if correct is None else ("right" if correct else f"wrong {attempt}")
    return ScoredRun(task, category, attempt, correct, reading, "answered", misses)


@st.composite
def suites(draw: st.DrawFn) -> list[ScoredRun]:
    """Five runs on each of a few tasks."""
    tasks = draw(st.integers(1, 6))
    return [
        run(f"t{task}", attempt, draw(st.booleans()), draw(st.integers(0, 2)))
        for task in range(tasks)
        for attempt in range(5)
    ]


@settings(max_examples=100)
@given(suites())
def test_the_figures_keep_their_order(runs: list[ScoredRun]) -> None:
    """pass^k <= majority <= Pass@k, pass^k <= Pass@1 <= Pass@k, and Pass@1 <= upper bound."""
    one, some, every, most = pass_at_1(runs), pass_at_k(runs), pass_hat_k(runs), majority(runs)
    bounds = accuracy_bounds(runs)
    assert one is not None and some is not None and every is not None and most is not None
    assert every <= most <= some and every <= one <= some
    assert bounds["lower"] == one <= (bounds["upper"] or 0) <= 1


@settings(max_examples=100)
@given(suites())
def test_the_exchangeability_bound_holds(runs: list[ScoredRun]) -> None:
    """Pass@1 <= (5M + 2(P5 - M)) / 5, the bound six published rows break, holds for every five runs of one kind."""
    one, some, most = pass_at_1(runs), pass_at_k(runs), majority(runs)
    assert one is not None and some is not None and most is not None
    assert one <= (5 * most + 2 * (some - most)) / 5 + 1e-5


@settings(max_examples=50)
@given(suites())
def test_order_of_runs_never_matters(runs: list[ScoredRun]) -> None:
    """Figures are a function of the set of runs."""
    assert pass_at_1(runs) == pass_at_1(runs[::-1]) and by_category(runs) == by_category(runs[::-1])


def test_a_tolerance_does_not_break_the_bound() -> None:
    """Right answers that read differently are one answer: five right runs are a right majority."""
    runs = [replace(run("a", attempt, True), reading=f"4{attempt}") for attempt in range(5)]
    assert (pass_at_1(runs), majority(runs)) == (1.0, 1.0)


@settings(max_examples=60)
@given(suites(), st.integers(1, 5))
def test_k_of_n_is_the_mean_over_all_draws(runs: list[ScoredRun], k: int) -> None:
    """Pass@k and pass^k are what every choice of k of a task's runs gives on average."""
    some, every = [], []
    for group in grouped(runs).values():
        draws = list(combinations([bool(one.correct) for one in group], k))
        some.append(Fraction(sum(map(any, draws)), len(draws)))
        every.append(Fraction(sum(map(all, draws)), len(draws)))
    assert pass_at_k(runs, k) == rounded(sum(some, Fraction(0)) / len(some))
    assert pass_hat_k(runs, k) == rounded(sum(every, Fraction(0)) / len(every))


def test_one_and_all_are_the_ends_of_k() -> None:
    """k of 1 is Pass@1, k of all is what no k gives, and a task with fewer runs is left out."""
    runs = [run("a", n, n < 3) for n in range(5)] + [run("b", n, n < 1) for n in range(5)]
    assert pass_at_k(runs, 1) == pass_hat_k(runs, 1) == pass_at_1(runs)
    assert (pass_at_k(runs, 5), pass_hat_k(runs, 5)) == (pass_at_k(runs), pass_hat_k(runs))
    assert (pass_at_k(runs, 2), pass_hat_k(runs, 2)) == (0.65, 0.15)
    assert pass_at_k([*runs, run("c", 0, True)], 2) == 0.65 and pass_at_k(runs, 6) is None
    for figure in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="at least one"):
            figure(runs, 0)


def test_hand_computed() -> None:
    """Two tasks: 3 of 5 and 1 of 5 right."""
    runs = [run("a", n, n < 3) for n in range(5)] + [run("b", n, n < 1) for n in range(5)]
    assert (pass_at_1(runs), pass_at_k(runs), pass_hat_k(runs), majority(runs)) == (0.4, 1.0, 0.0, 0.5)


def test_a_wrong_run_with_a_miss_might_have_been_right() -> None:
    """Only wrong runs with a miss widen the bounds."""
    runs = [run("a", 0, True, 3), run("a", 1, False, 1), run("a", 2, False, 0), run("a", 3, True, 0)]
    assert accuracy_bounds(runs) == {"lower": 0.5, "upper": 0.75}


def test_tasks_weigh_the_same_however_many_runs_they_have() -> None:
    """Pass@1 is a mean of means."""
    assert pass_at_1([run("a", 0, True), *(run("b", n, False) for n in range(5))]) == 0.5


def test_unscored_is_not_wrong() -> None:
    """Runs without a verdict are left out; a figure over nothing is None."""
    assert pass_at_1([run("a", 0, True), run("a", 1, None)]) == 1.0
    assert pass_at_1([run("a", 0, None)]) is None and majority([]) is None
    assert accuracy_bounds([]) == {"lower": None, "upper": None}


def test_categories_are_apart() -> None:
    """Each category has its own figures, in the order of names."""
    table = by_category([run("a", 0, True, category="x"), run("b", 0, False, category="w")])
    assert list(table) == ["w", "x"]
    assert (table["x"]["pass_at_1"], table["w"]["pass_at_1"], table["w"]["n_tasks"]) == (1.0, 0.0, 1)


def told(name: str, right: bool, **facts: Any) -> ScoredRun:
    """One run of a task with tags, a difficulty or a project."""
    return replace(run(name, 0, right), **facts)


def test_a_task_counts_under_each_of_its_tags() -> None:
    """No more under a tag it bears twice, and nowhere without one."""
    table = by_tag([told("a", True, tags=("x", "w", "x")), told("b", False, tags=("x",)), told("c", True)])
    assert {name: (row["n_tasks"], row["pass_at_1"]) for name, row in table.items()} == {"w": (1, 1.0), "x": (2, 0.5)}
    assert list(table) == ["w", "x"]


def test_difficulties_are_in_their_own_order() -> None:
    """Ten comes after nine; a task of unknown difficulty is in no row."""
    runs = [told(f"t{level}", level > 5, difficulty=level) for level in (10, 9, 2)] + [told("z", True)]
    table = by_difficulty(runs)
    assert list(table) == ["2", "9", "10"]
    assert [row["majority"] for row in table.values()] == [0.0, 1.0, 1.0]


def test_tables_hold_the_figures_of_their_runs_alone() -> None:
    """Each row is what the four functions give over that row's runs; an unscored row has no figures."""
    runs = [
        run(f"t{n}", attempt, (n * attempt) % 3 == 1, category="ab"[n % 2]) for n in range(6) for attempt in range(5)
    ]
    runs.append(run("u", 0, None, category="c"))
    for name, row in by_category(runs).items():
        own = [one for one in runs if one.category == name]
        figures = (pass_at_1(own), pass_at_k(own), pass_hat_k(own), majority(own))
        assert (row["pass_at_1"], row["pass_at_k"], row["pass_hat_k"], row["majority"]) == figures
        assert row["n_tasks"] == row["n_projects"] == (0 if name == "c" else 3)


def test_tasks_of_one_project_are_one_cluster() -> None:
    """Tasks without a project stand alone, even one that bears a project's name."""
    runs = [told("a", True, project="p"), told("b", True, project="p"), told("p", True), told("c", True)]
    assert sorted(len(cluster) for cluster in clustered(grouped(runs).values())) == [1, 1, 2]
    assert by_category(runs)["overlap"]["n_projects"] == 3


def test_rounding_is_decided_on_the_exact_value() -> None:
    """Six decimals, ties to even."""
    assert rounded(Fraction(1, 3)) == 0.333333
    assert rounded(Fraction(15, 10**7)) == 2e-06 and rounded(Fraction(25, 10**7)) == 2e-06
