"""What figures of one kind of runs must satisfy, held against made runs and the published table."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from statsmodels.stats.contingency_tables import cochrans_q

from caia_replay.scoring.exchangeability import drift, excess, pass_at_1_bounds
from caia_replay.scoring.metrics import ScoredRun


def runs_of(rows: list[list[bool]]) -> list[ScoredRun]:
    """One task per row, one attempt per verdict."""
    return [
        ScoredRun(f"t{number:03}", "overlap", attempt, right, "1" if right else "2", "answered")
        for number, row in enumerate(rows)
        for attempt, right in enumerate(row)
    ]


@settings(max_examples=200)
@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=1, max_size=9))))
def test_runs_of_one_kind_never_leave_the_bounds(case: tuple[int, list[int]]) -> None:
    """For any number of right runs on any tasks, Pass@1 lies between them."""
    n, right = case
    tasks = len(right)
    majority, some = Fraction(sum(2 * c > n for c in right), tasks), Fraction(sum(c > 0 for c in right), tasks)
    least, most = pass_at_1_bounds(majority, some, n)
    assert least <= Fraction(sum(right), n * tasks) <= most


@settings(max_examples=100)
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


@settings(max_examples=100)
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
