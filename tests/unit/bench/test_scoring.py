"""The rows of scoring and aggregation."""

from __future__ import annotations

import pytest

from caia_replay.bench import scoring
from caia_replay.errors import CheckFailed


def test_every_row_is_measured_beside_its_floor() -> None:
    """Scoring beside comparing texts, beside a tenth of the runs, and its parts; the first two have limits."""
    rows = list(scoring.rows(runs=1_800, rounds=1, resamples=39))
    assert {row.unit for row in rows} == {"us/run"} and len(rows) == 5
    assert all(row.value > 0 and row.floor > 0 for row in rows)
    assert [row.limit is not None for row in rows] == [True, True, False, False, False]
    assert "1,800" in rows[0].name and "180" in rows[1].name
    assert rows[0].value == rows[1].value


def test_no_two_answers_of_a_task_are_equal() -> None:
    """Nothing is measured that a scorer could remember, and every kind of answer is there, right and wrong."""
    rows = [scoring._row(number) for number in range(2_000)]
    assert len({(row["task"], row["answer"]) for row in rows}) == len(rows)
    assert {scoring._spec(number).kind for number in range(178)} == {kind for kind, *_ in scoring._KINDS}


def test_a_scorer_that_errs_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every verdict is checked before anything is measured."""
    kinds = (("boolean", "yes", "No {n}", "Yes {n}"),)
    monkeypatch.setattr(scoring, "_KINDS", kinds)
    with pytest.raises(CheckFailed, match="scored False"):
        list(scoring.rows(runs=200, rounds=1, resamples=39))
