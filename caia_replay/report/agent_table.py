"""Two agents side by side, in the terminal: a row per task, then what the difference is worth."""

from __future__ import annotations

from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.table import Table

from caia_replay.analysis.diff import AgentDiff, Side


def agent_table(diff: AgentDiff) -> Table:
    """Right of scored runs, and turns, calls and tokens of a run on average, of both agents."""
    table = Table(title=diff.cell, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("task", no_wrap=True)
    for agent in (diff.first, diff.second):
        for what in ("right", "turns", "calls", "tokens"):
            table.add_column(f"{agent}\n{what}", justify="right", no_wrap=True)
    for pair in diff.tasks:
        mark = " *" if pair.differs else ""
        table.add_row(pair.task + mark, *_cells(pair.first), *_cells(pair.second))
    return table


def agent_line(diff: AgentDiff) -> str:
    """The difference of a cell, with its exact p-values; unscored runs are in neither figure."""
    if diff.paired is None:
        return f"{diff.cell}: no task was scored with both agents"
    paired = diff.paired
    flips = f"{'exact' if paired.counted else 'drawn'} sign flips over {paired.projects} projects"
    return (
        f"{diff.cell}: {diff.first} minus {diff.second} is {_points(paired.difference)} points of Pass@1 over "
        f"{paired.tasks} tasks (p = {float(paired.difference_p):.3g}, {flips})"
    )


def verdict_line(diffs: tuple[AgentDiff, ...]) -> str:
    """``identical`` when no task differs, else how many do and the first."""
    differing = [(diff.cell, pair.task) for diff in diffs for pair in diff.tasks if pair.differs]
    if not differing:
        return "identical"
    of = sum(len(diff.tasks) for diff in diffs)
    cell, task = differing[0]
    return f"{len(differing)} of {of} tasks differ; first: {task} in {cell}"


def _cells(side: Side) -> tuple[str, ...]:
    return (f"{side.right}/{side.scored}", f"{side.turns:.1f}", f"{side.calls:.1f}", f"{side.tokens:.0f}")


def _points(share: Fraction) -> str:
    return f"{float(100 * share):+.1f}"
