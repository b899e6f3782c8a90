"""The gap between a suite and its twin, as a table, as JSON, and in the words it may be read with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from caia_replay.analysis.twin_gap import CellGap, SuiteGap
from caia_replay.errors import one_line
from caia_replay.report.table import POLICY_HEADING
from caia_replay.report.terminal import count, percent, plain_table
from caia_replay.scoring.contamination import Gap, TwinGap

_WITH_PROBE = (
    "to be read as: without tools only memory and luck answer, so a no-tools gap whose interval lies above 0 speaks "
    "for contamination, and one that holds 0 proves no innocence; a gap with tools may be memory, or a harder twin"
)
_WITHOUT_PROBE = (
    "to be read as: a gap with tools may be memory, or a twin that is harder, and nothing here tells which; "
    "only the no-tools condition, played on both, tells contamination"
)


def gap_heading(gap: SuiteGap) -> list[str]:
    """What is compared, and what its numbers must not be taken for."""
    lines = [
        f"{gap.suite} {gap.suite_version}: {gap.model} with {gap.agent}, {count(gap.attempts, 'attempt')} a task; "
        f"original {gap.runs[0]} (seed {gap.seeds[0]}), twin {gap.runs[1]} (seed {gap.seeds[1]})"
    ]
    if gap.is_policy:
        lines.append(POLICY_HEADING)
    if not gap.comparable:
        lines.append("not comparable to published CAIA scores")
    return [one_line(line) for line in lines]


def gap_table(gap: SuiteGap) -> Table:
    """A section for each cell: majority right and Pass@1 of original and twin in per cent, and the gap in points; over
    all tasks, then over each category that has enough tasks in both suites."""
    table = plain_table(("", "tasks", "figure"), ("original", "twin", "gap, points", "95 % interval"))
    for cell in gap.cells:
        name = one_line(f"{cell.arm}, {cell.condition}{' (probe)' if cell.is_probe else ''}")
        if cell.gap is None:
            table.add_row(Text(name), "-", "-", "unscored", "unscored", "-", "-")
        else:
            for row in _rows(name, cell.gap):
                table.add_row(*row)
        for category, found in cell.by_category.items():
            for row in _rows(f"  {category}", found):
                table.add_row(*row)
        table.add_section()
    return table


def gap_notes(gap: SuiteGap) -> list[str]:
    """What else a reader must know, and last the line that says what the gap may and may not be read as."""
    return [*map(one_line, gap.notes), reading_line(gap)]


def reading_line(gap: SuiteGap) -> str:
    """What the gap may and may not be read as; without the probe it tells nothing of contamination."""
    probed = any(cell.is_probe and cell.gap is not None for cell in gap.cells)
    return _WITH_PROBE if probed else _WITHOUT_PROBE


def gap_plain(gap: SuiteGap) -> dict[str, Any]:
    """As JSON: figures are fractions from 0 to 1, gaps and intervals percentage points."""
    return {
        "suite": gap.suite,
        "suite_version": gap.suite_version,
        "model": gap.model,
        "agent": gap.agent,
        "runs": gap.attempts,
        "original": {"run": gap.runs[0], "world_seed": gap.seeds[0]},
        "twin": {"run": gap.runs[1], "world_seed": gap.seeds[1]},
        "calibration_policy": gap.is_policy,
        "comparable_to_published_caia": gap.comparable,
        "cells": [_plain_cell(cell) for cell in gap.cells],
        "notes": list(gap.notes),
        "reading": reading_line(gap),
    }


def _rows(name: str, found: TwinGap) -> Iterator[tuple[Text | str, ...]]:
    tasks = str(found.tasks[0]) if found.tasks[0] == found.tasks[1] else f"{found.tasks[0]}, {found.tasks[1]}"
    for first, figure, gap in (
        ((Text(name), tasks), "majority right", found.majority),
        (("", ""), "Pass@1", found.pass_at_1),
    ):
        if gap is None:
            yield *first, figure, "unscored", "unscored", "-", "-"
        else:
            yield *first, figure, percent(gap.original), percent(gap.twin), _points(gap.points), _interval(gap)


def _interval(gap: Gap) -> str:
    if gap.interval is None:
        return "too few projects"
    return f"{_points(gap.interval[0])} to {_points(gap.interval[1])}"


def _points(points: float) -> str:
    return f"{round(points, 1) + 0.0:+.1f}"  # never -0.0


def _plain_cell(cell: CellGap) -> dict[str, Any]:
    return {
        "arm": cell.arm,
        "condition": cell.condition,
        "probe": cell.is_probe,
        "unscored_runs": _pair(cell.unscored),
        "all": None if cell.gap is None else _plain_gap(cell.gap),
        "by_category": {name: _plain_gap(gap) for name, gap in cell.by_category.items()},
    }


def _plain_gap(found: TwinGap) -> dict[str, Any]:
    return {
        "tasks": _pair(found.tasks),
        "projects": _pair(found.projects),
        "majority": _plain_figure(found.majority),
        "pass_at_1": _plain_figure(found.pass_at_1),
    }


def _plain_figure(gap: Gap | None) -> dict[str, Any] | None:
    if gap is None:
        return None
    ends = None if gap.interval is None else list(gap.interval)
    return {"original": gap.original, "twin": gap.twin, "gap_points": gap.points, "interval_points": ends}


def _pair(values: tuple[int, int]) -> dict[str, int]:
    return {"original": values[0], "twin": values[1]}
