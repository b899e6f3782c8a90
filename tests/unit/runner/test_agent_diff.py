"""Two agents on one model and world, task by task."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.agent_diff import diff_agents
from caia_replay.store.results import RESULTS, read_table, write_table
from tests.finished_run import Run, finished_run, summarised

COUNT, DAY = "mini6-event-count", "mini6-vote-date"
RIGHT: list[Run] = [(COUNT, 1, "45"), (COUNT, 2, "45"), (DAY, 1, "2024-06-04"), (DAY, 2, "2024-06-04")]


COUNTED = {"turns": 2, "calls": 1, "prompt_tokens": 70, "completion_tokens": 30, "served_miss": 0}


def played(out: Path, world: Path, agent: str, runs: Iterable[Run] = RIGHT, header: Mapping[str, Any] = {}) -> Path:
    """A finished run of an agent; what a replay counts besides answers is the same in every row."""
    run = finished_run(out, world, runs)
    table = run / "clean-tools" / "results.parquet"
    rows = [row | COUNTED | {"category": "overlap"} for row in read_table(table)]
    write_table(table, rows, RESULTS)
    told = json.loads((table.parent / "summary.json").read_text())
    labels = {name: told[name] for name in ("suite", "model", "arm", "condition", "digest")}
    summarised(table.parent, rows, {**labels, "agent": agent})
    for path, facts in (("index.json", {"agent": agent}), ("clean-tools/certificate.json", {"agent": agent, **header})):
        held = json.loads((run / path).read_text())
        (run / path).write_text(json.dumps(held | facts))
    return run


def test_equal_agents_differ_in_no_task(shipped: Path, tmp_path: Path) -> None:
    """Same answers: no task differs, the difference is zero and no chance is surprised."""
    sides = [played(tmp_path / name, shipped, name) for name in ("react", "caia")]
    (cell,) = diff_agents(*sides, tmp_path)
    assert (cell.cell, cell.first, cell.second) == ("clean-tools", "react", "caia")
    assert [(pair.task, pair.differs, pair.first.right) for pair in cell.tasks] == [(COUNT, False, 2), (DAY, False, 2)]
    assert cell.paired is not None and (cell.paired.difference, cell.paired.majority_p) == (0, 1)


def test_the_task_an_agent_fails_is_told(shipped: Path, tmp_path: Path) -> None:
    """Right twice on one side and once on the other: that task alone differs, by half a point on average over two."""
    first = played(tmp_path / "a", shipped, "react")
    second = played(tmp_path / "b", shipped, "caia", [*RIGHT[:1], (COUNT, 2, "44"), *RIGHT[2:]])
    (cell,) = diff_agents(first, second, tmp_path)
    assert [(pair.task, pair.differs) for pair in cell.tasks] == [(COUNT, True), (DAY, False)]
    assert (cell.tasks[0].second.right, cell.tasks[0].second.scored) == (1, 2)
    assert cell.paired is not None and 4 * cell.paired.difference == 1


@pytest.mark.parametrize(
    ("header", "word"),
    [({"world": "sha256:other"}, "world"), ({"runs": 7}, "runs: None and 7"), ({"limits": {"turns": 3}}, "limits")],
)
def test_runs_that_differ_in_more_are_refused(shipped: Path, tmp_path: Path, header: Any, word: str) -> None:
    """Another world, number of runs or budget: one line that names it."""
    first = played(tmp_path / "a", shipped, "react")
    second = played(tmp_path / "b", shipped, "caia", header=header)
    with pytest.raises(BadInput, match=f"differ in {word}"):
        diff_agents(first, second, tmp_path)


def test_one_agent_is_not_compared_with_itself(shipped: Path, tmp_path: Path) -> None:
    """Nor two models: the scaffold must be the one thing that differs."""
    first, same = (played(tmp_path / name, shipped, "react") for name in ("a", "b"))
    with pytest.raises(BadInput, match="of the agent 'react'"):
        diff_agents(first, same, tmp_path)
    other = played(tmp_path / "c", shipped, "caia")
    index = json.loads((other / "index.json").read_text())
    (other / "index.json").write_text(json.dumps(index | {"model": "another"}))
    with pytest.raises(BadInput, match="differ in model: 'some-model' and 'another'"):
        diff_agents(first, other, tmp_path)


def test_a_tape_is_its_model_whatever_it_is_called(shipped: Path, tmp_path: Path) -> None:
    """A live run with one agent stands beside a recorded one with another."""
    first = played(tmp_path / "a", shipped, "react")
    other = played(tmp_path / "b", shipped, "caia")
    index = json.loads((other / "index.json").read_text())
    (other / "index.json").write_text(json.dumps(index | {"model": "recorded/mine"}))
    assert len(diff_agents(first, other, tmp_path)) == 1


def test_a_table_that_is_not_its_summarys_is_refused(shipped: Path, tmp_path: Path) -> None:
    """Another cell's rows, or rows without a column: one line with the file, and no comparison."""
    first, second = (played(tmp_path / name, shipped, name) for name in ("react", "caia"))
    table = second / "clean-tools" / "results.parquet"
    rows = read_table(table)
    write_table(table, [row | {"correct": False} for row in rows], RESULTS)
    with pytest.raises(BadInput, match=r"summary\.json: 'pass_at_1' is 1\.0"):
        diff_agents(first, second, tmp_path)
    write_table(table, rows, RESULTS.remove(RESULTS.get_field_index("turns")))
    with pytest.raises(BadInput, match=r"results\.parquet: row 1 has no usable 'turns'"):
        diff_agents(first, second, tmp_path)
