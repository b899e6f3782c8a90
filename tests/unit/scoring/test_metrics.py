"""Figures over many runs, the majority vote, and what runs of one kind must satisfy."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from statsmodels.stats.contingency_tables import cochrans_q

from caia_replay.scoring.exchangeability import drift, excess, pass_at_1_bounds
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


def runs_of(rows: list[list[bool]]) -> list[ScoredRun]:
    """One task per row, one attempt per verdict."""
    return [
        ScoredRun(f"t{number:03}", "overlap", attempt, right, "1" if right else "2", "answered")
        for number, row in enumerate(rows)
        for attempt, right in enumerate(row)
    ]


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=1, max_size=9))))
def test_runs_of_one_kind_never_leave_the_bounds(case: tuple[int, list[int]]) -> None:
    """For any number of right runs on any tasks, Pass@1 lies between them."""
    n, right = case
    tasks = len(right)
    majority, some = Fraction(sum(2 * c > n for c in right), tasks), Fraction(sum(c > 0 for c in right), tasks)
    least, most = pass_at_1_bounds(majority, some, n)
    assert least <= Fraction(sum(right), n * tasks) <= most


@given(st.integers(1, 9), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_the_bounds_are_reached(n: int, won: int, touched: int, missed: int) -> None:
    """Some runs give exactly the least and the most: no narrower bounds hold for all."""
    if n // 2 == 0:
        touched = 0
    tasks = won + touched + missed
    if tasks:
        least, most = pass_at_1_bounds(Fraction(won, tasks), Fraction(won + touched, tasks), n)
        assert most == Fraction(won * n + touched * (n // 2), n * tasks)
        assert least == Fraction(won * (n // 2 + 1) + touched, n * tasks)


def test_five_runs_are_the_published_case() -> None:
    """(5M + 2(P - M)) / 5 with M 0.303 and P 0.556 is 0.4042, and 0.5 is beyond it."""
    majority, some = Fraction("0.303"), Fraction("0.556")
    assert pass_at_1_bounds(majority, some, 5)[1] == Fraction("0.4042")
    assert excess(Fraction("0.5"), majority, some, 5) == Fraction("0.0958")


@pytest.mark.parametrize(
    ("majority", "some", "n"), [("0.6", "0.5", 5), ("-0.1", "0.5", 5), ("0.1", "1.1", 5), ("0", "1", 0)]
)
def test_figures_that_no_runs_give(majority: str, some: str, n: int) -> None:
    """A majority above Pass@n, a share that is none, or no runs."""
    with pytest.raises(ValueError, match="runs a task give"):
        pass_at_1_bounds(Fraction(majority), Fraction(some), n)


@pytest.mark.real
def test_six_published_rows_are_impossible(real_data: Path) -> None:
    """GPT-4o with tools by 9.5 points, and five models without tools by at most 1.3; none is below the least."""
    beyond: dict[tuple[str, str], Fraction] = {}
    checked = 0
    with (real_data / "caia" / "results_17.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for condition in ("tool", "no"):
                one, some, most = (Fraction(row[f"{name}_{condition}"]) for name in ("p1", "p5", "mv"))
                checked += 1
                assert one >= pass_at_1_bounds(most, some, 5)[0]
                if (over := excess(one, most, some, 5)) > 0:
                    beyond[row["model"], condition] = over
    assert checked == 34
    assert Fraction("0.095") <= beyond.pop(("gpt_4o", "tool")) < Fraction("0.096")
    assert sorted(beyond) == [
        (model, "no") for model in ("claude_opus_4_1", "gemini_2.5_flash", "gpt_4o", "gpt_oss_120b", "grok_4_fast")
    ]
    assert max(beyond.values()) <= Fraction("0.013")


rows = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=2, max_size=20)
)


@given(rows.filter(lambda found: any(0 < sum(row) < len(row) for row in found)))
def test_q_is_statsmodels(verdicts: list[list[bool]]) -> None:
    """Cochran's Q equals another implementation's."""
    found = drift(runs_of(verdicts), draws=1)
    assert found is not None
    theirs = cochrans_q(np.array(verdicts, dtype=int)).statistic
    assert float(found.q) == pytest.approx(theirs, abs=1e-9)
    assert found.right == tuple(map(sum, zip(*verdicts)))


def test_the_shuffled_p_value_is_near_its_large_sample_law() -> None:
    """With many tasks it is that of chi-squared, and one seed gives one value."""
    chance = Random(8)
    verdicts = [[chance.random() < 0.5 + 0.06 * (at == 2) for at in range(5)] for _ in range(200)]
    found = drift(runs_of(verdicts))
    assert found is not None and found == drift(runs_of(verdicts)[::-1])
    assert float(found.p_value) == pytest.approx(chi2.sf(float(found.q), 4), abs=0.04)


def test_a_world_that_drifts_is_noticed() -> None:
    """Right on the first attempts and wrong on the last: the smallest p-value there is."""
    found = drift(runs_of([[True, True, True, False, False]] * 20 + [[True] * 5, [False] * 5]), draws=999)
    assert found is not None and (found.tasks, found.attempts, found.p_value) == (22, 5, Fraction(1, 1000))


def test_what_tells_nothing_has_no_verdict() -> None:
    """One attempt, attempts that all agree, or tasks that lack one."""
    assert drift([]) is None and drift(runs_of([[True], [False]])) is None
    assert drift(runs_of([[True, True], [False, False]])) is None
    lacking = [run for run in runs_of([[True, False], [False, True]]) if (run.task, run.attempt) != ("t001", 1)]
    found = drift(lacking, draws=9)
    assert found is not None and found.tasks == 1
