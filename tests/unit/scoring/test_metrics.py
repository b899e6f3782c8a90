"""Figures over many runs."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.metrics import (
    ScoredRun,
    accuracy_bounds,
    by_category,
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


def test_rounding_is_decided_on_the_exact_value() -> None:
    """Six decimals, ties to even."""
    assert rounded(Fraction(1, 3)) == 0.333333
    assert rounded(Fraction(15, 10**7)) == 2e-06 and rounded(Fraction(25, 10**7)) == 2e-06
