"""The gap between a suite and its twin, in words and numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

from rich.console import Console

from caia_replay.report.gap_table import gap_heading, gap_notes, gap_plain, gap_table, reading_line
from caia_replay.runner.twin_gap import CellGap, SuiteGap
from caia_replay.scoring.contamination import Gap, TwinGap

WHOLE = TwinGap((178, 178), (90, 88), Gap(0.5, 0.25, 25.0, (14.96, 35.04)), Gap(0.41, 0.4104, -0.04, (-9.0, 8.0)))
PART = TwinGap((8, 7), (4, 4), Gap(0.5, 1.0, -50.0, None), Gap(0.5, 1.0, -50.0, None))
TOOLS = CellGap("clean-tools", "clean", "tools", WHOLE, {"trend analysis": PART}, (0, 0))
PROBE = CellGap("clean-no-tools", "clean", "no-tools", WHOLE, {}, (1, 2))
BOTH = SuiteGap(
    suite="synthetic-178",
    suite_version="1.0.0",
    model="some-model",
    agent="react",
    attempts=5,
    runs=("runs/a", "runs/b"),
    seeds=(1, 2),
    comparable=False,
    cells=(TOOLS, PROBE),
    notes=("not scored in clean-no-tools: 1 runs of the original, 2 of the twin",),
)


def shown(gap: SuiteGap) -> list[str]:
    """The table's lines, blanks between words made one."""
    out = StringIO()
    Console(file=out, width=160).print(gap_table(gap))
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_a_cell_has_both_figures_with_their_interval() -> None:
    """Percentages, the gap in points with its sign, its interval; a category below, or why it has no interval."""
    lines = shown(BOTH)
    assert "clean, tools 178 majority right 50.0 % 25.0 % +25.0 +15.0 to +35.0" in lines
    assert "Pass@1 41.0 % 41.0 % +0.0 -9.0 to +8.0" in lines  # no -0.0
    assert "trend analysis 8, 7 majority right 50.0 % 100.0 % -50.0 under 5 projects" in lines
    assert any(line.startswith("clean, no-tools (probe) 178") for line in lines)


def test_what_was_not_scored_has_no_figures() -> None:
    """A cell without a verdict is there, and names written by others are no markup."""
    lines = shown(replace(BOTH, cells=(replace(TOOLS, arm="[bold]x[/bold]", gap=None, by_category={}),)))
    assert "[bold]x[/bold], tools - - unscored unscored - -" in lines


def test_the_heading_says_what_is_compared() -> None:
    """Suite, model, runs and seeds; a policy is never shown as a model."""
    first, second = gap_heading(BOTH)
    assert first == (
        "synthetic-178 1.0.0: some-model with react, 5 attempts a task; original runs/a (seed 1), twin runs/b (seed 2)"
    )
    assert second == "not comparable to published CAIA scores"
    assert gap_heading(replace(BOTH, model="policy/random", attempts=1, comparable=True)) == [
        first.replace("some-model", "policy/random").replace("5 attempts", "1 attempt"),
        "calibration policy, not a model result",
    ]


def test_only_the_probe_speaks_of_contamination() -> None:
    """Without a scored no-tools cell the closing line says that nothing tells memory from difficulty."""
    assert gap_notes(BOTH) == [*BOTH.notes, reading_line(BOTH)]
    assert "speaks for contamination" in reading_line(BOTH)
    for cells in ((TOOLS,), (TOOLS, replace(PROBE, gap=None))):
        said = reading_line(replace(BOTH, cells=cells))
        assert "nothing here tells which" in said and "speaks for" not in said


def test_json_has_fractions_and_points() -> None:
    """Figures from 0 to 1, gaps and intervals in points, an absent interval null, and the reading."""
    told = json.loads(json.dumps(gap_plain(BOTH)))
    tools, probe = told["cells"]
    assert tools["all"]["majority"] == {
        "original": 0.5, "twin": 0.25, "gap_points": 25.0, "interval_points": [14.96, 35.04],
    }  # fmt: skip
    assert tools["by_category"]["trend analysis"]["pass_at_1"]["interval_points"] is None
    assert tools["by_category"]["trend analysis"]["tasks"] == {"original": 8, "twin": 7}
    assert (probe["probe"], probe["unscored_runs"]) == (True, {"original": 1, "twin": 2})
    assert told["twin"] == {"run": "runs/b", "world_seed": 2} and told["reading"] == reading_line(BOTH)
