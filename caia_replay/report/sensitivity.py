"""The table of re-scored runs, in the terminal: a section a cell, a line a rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from caia_replay.analysis.rescore import Rescored, RescoredCell
from caia_replay.errors import one_line
from caia_replay.report.table import POLICY_HEADING
from caia_replay.report.terminal import percent, plain_table


def rescored_heading(done: Rescored) -> list[str]:
    """Which runs were judged again, and what their numbers must not be taken for."""
    runs = dict.fromkeys(f"{cell.run}: {cell.suite}, {cell.model} with {cell.agent}" for cell in done.cells)
    lines = [one_line(run) for run in runs]
    if any(cell.is_policy for cell in done.cells):
        lines.append(POLICY_HEADING)
    if not all(cell.comparable for cell in done.cells):
        lines.append("not comparable to published CAIA scores")
    return lines


def sensitivity_table(cells: Sequence[RescoredCell]) -> Table:
    """Each cell under each rule, in the words of its JSON; ``changed``, ``raised`` and ``lowered`` count runs against
    the task's own rule."""
    several = len({cell.run for cell in cells}) > 1
    figures = ("Pass@1", "majority", "right", "partial", "changed", "raised", "lowered")
    table = plain_table(("", "judged by"), figures)
    for cell in cells:
        name = f"{Path(cell.run).name}: {_name(cell)}" if several else _name(cell)
        for at, found in enumerate(cell.outcomes):
            in_parts = found.rule.partial == "share"
            table.add_row(
                one_line(name) if at == 0 else "",
                found.rule.name,
                percent(found.pass_at_1),
                "-" if in_parts else percent(found.majority),
                f"{found.right} of {found.scored}",
                str(found.partial) if in_parts else "-",
                *((str(found.changed), str(found.raised), str(found.lowered)) if at else ("-", "-", "-")),
            )
        table.add_section()
    return table


def rescored_notes(done: Rescored) -> list[str]:
    """Why runs have no verdict, with how many, a line a reason; then what else a reader must know."""
    unscored = (
        f"not scored in {_name(cell)}: {count} of {cell.outcomes[0].runs} runs: {reason}"
        for cell in done.cells
        for reason, count in sorted(cell.unscored.items())
    )
    return [one_line(line) for line in (*unscored, *done.notes)]


def _name(cell: RescoredCell) -> str:
    return f"{cell.arm}, {cell.condition}"
