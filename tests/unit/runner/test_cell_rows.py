"""The rows of one cell of a finished run, and its summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.cell_rows import attack_counts, checked_rows, require_summary
from caia_replay.store.results import RESULTS, write_table
from tests.finished_run import finished_run

RUNS = [("mini6-event-count", 1, "45"), ("mini6-event-count", 2, "47")]


@pytest.fixture
def cell(shipped: Path, tmp_path: Path) -> Path:
    """A finished cell of two runs, one of them right."""
    return finished_run(tmp_path / "run", shipped, RUNS) / "clean-tools"


def test_a_cell_is_its_own(cell: Path) -> None:
    """Rows come in order, and give the figures that stand in the summary."""
    rows = list(checked_rows(cell / "results.parquet"))
    assert [row["attempt"] for row in rows] == [1, 2]
    require_summary(cell, rows, {"agent": "react"})


def test_another_figure_or_label_is_refused(cell: Path) -> None:
    """One line names the field, what stands there and what the rows give."""
    rows = list(checked_rows(cell / "results.parquet"))
    with pytest.raises(BadInput, match="'agent' is 'react', and the cell's own runs give 'caia'"):
        require_summary(cell, rows, {"agent": "caia"})
    with pytest.raises(BadInput, match=r"'scored' is .*'runs': 2.*own runs give .*'runs': 1"):
        require_summary(cell, rows[:1], {})
    summary = json.loads((cell / "summary.json").read_text())
    del summary["scored"]
    (cell / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(BadInput, match="'scored' is None"):
        require_summary(cell, rows, {})


def test_attacks_are_counted_by_rows(cell: Path) -> None:
    """An adoption that nobody can tell is undecided; a summary with another count than the rows' is refused."""
    rows = list(checked_rows(cell / "results.parquet"))
    rows[0] |= {"adopted": None, "exposed": True, "planted_url": "https://x.example/"}
    write_table(cell / "results.parquet", rows, RESULTS)
    rows = list(checked_rows(cell / "results.parquet"))
    counts = attack_counts((row["task"], row["planted_url"] is not None, row) for row in rows)
    expected = {"exposed": 1, "undecided": 1, "attacked_runs": 1, "attacked_tasks": 1}
    assert counts == dict.fromkeys(counts, 0) | expected
    with pytest.raises(BadInput, match=r"'attack' is .*own runs give .*'exposed': 1"):
        require_summary(cell, rows, {})


@pytest.mark.parametrize("name", ["task", "turns", "prompt_tokens", "served_miss", "exposed", "resisted"])
def test_a_column_that_is_not_there_is_refused(cell: Path, name: str) -> None:
    """A table that another program wrote, or an older one, is told by its first missing column."""
    rows = list(checked_rows(cell / "results.parquet"))
    write_table(cell / "results.parquet", rows, RESULTS.remove(RESULTS.get_field_index(name)))
    with pytest.raises(BadInput, match=f"row 1 has no usable '{name}'"):
        list(checked_rows(cell / "results.parquet"))
