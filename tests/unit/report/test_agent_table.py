"""Two agents side by side, in words and numbers."""

from __future__ import annotations

from fractions import Fraction
from io import StringIO

from rich.console import Console

from caia_replay.report.agent_table import agent_line, agent_table, verdict_line
from caia_replay.runner.agent_diff import AgentDiff, Side, TaskPair
from caia_replay.scoring.paired import Paired

GOOD, BAD = Side(5, 5, 3.0, 2.0, 1500.4), Side(2, 5, 6.0, 5.0, 9000.0)
PAIRED = Paired(2, 0, 2, Fraction(3, 10), Fraction(1, 2), True, 1, 0, Fraction(1))
SAME = AgentDiff("clean-tools", "react", "caia", (TaskPair("t1", GOOD, GOOD),), PAIRED)
OTHER = AgentDiff("attacked-tools", "react", "caia", (TaskPair("t1", GOOD, GOOD), TaskPair("t2", GOOD, BAD)), PAIRED)


def test_a_row_per_task_with_both_agents() -> None:
    """Right of scored runs and the means of a run; a task that differs is marked."""
    shown = StringIO()
    Console(file=shown, width=120).print(agent_table(OTHER))
    lines = {line.split()[0]: line.split()[1:] for line in shown.getvalue().splitlines() if line.strip()[:1] == "t"}
    assert lines["t1"] == ["5/5", "3.0", "2.0", "1500", "5/5", "3.0", "2.0", "1500"]
    assert lines["t2"] == ["*", "5/5", "3.0", "2.0", "1500", "2/5", "6.0", "5.0", "9000"]


def test_the_difference_comes_with_what_it_is_worth() -> None:
    """Points, tasks, and both p-values; nothing is said of a cell that was not scored on both sides."""
    line = agent_line(OTHER)
    assert "react less caia is +30.0 points of Pass@1 over 2 tasks (p = 0.5, exact sign flips over 2 projects)" in line
    assert "with react alone on 1, with caia alone on 0 (p = 1, McNemar)" in line
    nothing = AgentDiff("clean-tools", "react", "caia", (), None)
    assert agent_line(nothing) == "clean-tools: no task was scored with both agents"


def test_the_last_line_is_the_verdict() -> None:
    """identical, or how many tasks differ and which is the first."""
    assert verdict_line((SAME,)) == "identical"
    assert verdict_line((SAME, OTHER)) == "1 of 3 tasks differ; first: t2 in attacked-tools"
