"""Figures over many runs, and the majority vote."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
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
    scored,
    whole_bounds,
)
from caia_replay.scoring.vote import Ballot
from caia_replay.scoring.vote import majority as elected_by


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


@given(suites())
def test_the_figures_keep_their_order(runs: list[ScoredRun]) -> None:
    """pass^k <= majority <= Pass@k, pass^k <= Pass@1 <= Pass@k, and Pass@1 <= upper bound."""
    one, some, every, most = pass_at_1(runs), pass_at_k(runs), pass_hat_k(runs), majority(runs)
    bounds = accuracy_bounds(runs)
    assert one is not None and some is not None and every is not None and most is not None
    assert every <= most <= some and every <= one <= some
    assert bounds["lower"] == one <= (bounds["upper"] or 0) <= 1


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


def test_figures_by_hand() -> None:
    """Two tasks, 3 of 5 and 1 of 5 right; a task with fewer runs than k is left out; tasks weigh the same."""
    runs = [run("a", n, n < 3) for n in range(5)] + [run("b", n, n < 1) for n in range(5)]
    assert (pass_at_1(runs), pass_at_k(runs), pass_hat_k(runs), majority(runs)) == (0.4, 1.0, 0.0, 0.5)
    assert pass_at_k(runs, 1) == pass_hat_k(runs, 1) == pass_at_1(runs)
    assert (pass_at_k(runs, 5), pass_hat_k(runs, 5)) == (pass_at_k(runs), pass_hat_k(runs))
    assert (pass_at_k(runs, 2), pass_hat_k(runs, 2)) == (0.65, 0.15)
    assert pass_at_k([*runs, run("c", 0, True)], 2) == 0.65 and pass_at_k(runs, 6) is None
    for figure in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="at least one"):
            figure(runs, 0)
    assert pass_at_1([run("a", 0, True), *(run("b", n, False) for n in range(5))]) == 0.5
    near = [replace(run("a", attempt, True), reading=f"4{attempt}") for attempt in range(5)]
    assert (pass_at_1(near), majority(near)) == (1.0, 1.0)


def test_unscored_is_not_wrong_and_a_miss_may_have_cost_a_right_answer() -> None:
    """Runs without a verdict are left out; only wrong runs with a miss widen the bounds; ties of rounding are even."""
    assert pass_at_1([run("a", 0, True), run("a", 1, None)]) == 1.0
    assert pass_at_1([run("a", 0, None)]) is None and majority([]) is None
    assert accuracy_bounds([]) == {"lower": None, "upper": None}
    runs = [run("a", 0, True, 3), run("a", 1, False, 1), run("a", 2, False, 0), run("a", 3, True, 0)]
    assert accuracy_bounds(runs) == {"lower": 0.5, "upper": 0.75}
    assert rounded(Fraction(1, 3)) == 0.333333
    assert rounded(Fraction(15, 10**7)) == 2e-06 and rounded(Fraction(25, 10**7)) == 2e-06


def test_unscored_runs_do_not_move_a_majority() -> None:
    """Votes, Pass@k and pass^k are over tasks whose runs were all scored; bounds say what the others could do."""
    runs = [run(name, at, at < right) for name, right in (("a", 5), ("b", 3), ("c", 0)) for at in range(5)]
    cut = [replace(one, correct=None, reading=None) if (one.task, one.attempt) == ("b", 4) else one for one in runs]
    assert (majority(cut), pass_hat_k(cut), pass_at_k(cut), pass_at_k(cut, 2)) == (0.5,) * 4  # of a and c
    assert pass_at_1(cut) == rounded((1 + Fraction(3, 4)) / 3)
    assert scored(cut) == {"runs": 14, "tasks": 3, "whole_tasks": 2}
    sure, open_ = {"lower": 0.666667, "upper": 0.666667}, {"lower": 0.333333, "upper": 0.333333}
    assert whole_bounds(cut) == {"majority": sure, "pass_at_k": sure, "pass_hat_k": open_}
    lost = [replace(one, correct=None) if one.task == "b" else one for one in runs]
    assert whole_bounds(lost)["majority"] == {"lower": 0.333333, "upper": 0.666667}
    row = by_category(lost)["overlap"]
    assert (row["n_tasks"], row["n_whole"], row["majority"]) == (2, 2, 0.5)


def told(name: str, right: bool, **facts: Any) -> ScoredRun:
    """One run of a task with tags, a difficulty or a project."""
    return replace(run(name, 0, right), **facts)


def test_a_task_counts_under_each_of_its_tags() -> None:
    """No more under a tag it bears twice, and nowhere without one."""
    table = by_tag([told("a", True, tags=("x", "w", "x")), told("b", False, tags=("x",)), told("c", True)])
    assert {name: (row["n_tasks"], row["pass_at_1"]) for name, row in table.items()} == {"w": (1, 1.0), "x": (2, 0.5)}
    assert list(table) == ["w", "x"]


def test_rows_are_in_their_own_order() -> None:
    """Categories by name; ten comes after nine, and a task of unknown difficulty is in no row."""
    runs = [told(f"t{level}", level > 5, difficulty=level) for level in (10, 9, 2)] + [told("z", True)]
    table = by_difficulty(runs)
    assert list(table) == ["2", "9", "10"]
    assert [row["majority"] for row in table.values()] == [0.0, 1.0, 1.0]
    apart = by_category([run("a", 0, True, category="x"), run("b", 0, False, category="w")])
    assert [(name, row["pass_at_1"], row["n_tasks"]) for name, row in apart.items()] == [("w", 0.0, 1), ("x", 1.0, 1)]


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


RIGHT, OTHER, SILENT = Ballot("a", True), Ballot("b", False), Ballot(None, False)
NEARLY, THIRD = Ballot("a'", True), Ballot("c", False)
ballots = st.lists(st.sampled_from([RIGHT, NEARLY, OTHER, THIRD, SILENT]), min_size=1, max_size=9)


@given(ballots, st.randoms(use_true_random=False))
def test_a_majority_is_more_than_half_of_all_runs(cast: list[Ballot], random: object) -> None:
    """Right exactly when right answers are more than half of all; a wrong one by its reading; in any order."""
    vote = elected_by(cast)
    assert vote.correct == (2 * (cast.count(RIGHT) + cast.count(NEARLY)) > len(cast))
    assert vote.reading is None or 2 * vote.votes > vote.runs == len(cast)
    elected = [wrong.reading for wrong in (OTHER, THIRD) if 2 * cast.count(wrong) > len(cast)]
    assert ([vote.reading] if vote.reading and not vote.correct else []) == elected
    shuffled = list(cast)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert elected_by(shuffled) == vote
    with pytest.raises(ValueError, match="at least one"):
        elected_by([])


@pytest.mark.parametrize(("cast", "vote"), [
    ([RIGHT, RIGHT, NEARLY, NEARLY, OTHER], (True, "a", 4)), ([RIGHT, NEARLY, NEARLY], (True, "a'", 3)),
    ([OTHER, OTHER, THIRD, THIRD, RIGHT], (False, None, 2)), ([RIGHT, RIGHT, OTHER, OTHER], (False, None, 2)),
    ([RIGHT, RIGHT, Ballot("a", False), Ballot("a", False), OTHER], (False, None, 2)),
    ([Ballot(None, True)] * 2 + [OTHER], (True, None, 2)), ([RIGHT] * 2 + [SILENT] * 3, (False, None, 2)),
    ([RIGHT] * 3 + [SILENT] * 2, (True, "a", 3)), ([SILENT] * 5, (False, None, 0)),
])  # fmt: skip
def test_a_vote_by_hand(cast: list[Ballot], vote: tuple[bool, str | None, int]) -> None:
    """Right answers are one however they read, wrong ones two; silence counts and is never elected, nor is a tie."""
    found = elected_by(cast)
    assert (found.correct, found.reading, found.votes) == vote
