"""What one sees while a model is replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.report.live_line import LiveLine, live_line
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.run_end import RunEnd, read_run_end
from caia_replay.store.world_folder import open_world

END = RunEnd("", True, 1_000, "0.25", 20, 3, 5, 16, "clean-tools")


@pytest.fixture
def plan(shipped: Path) -> RunPlan:
    """Forty runs: five of each of four tasks in two arms."""
    folder = open_world(str(shipped))
    return make_plan(folder, tasks=folder.suite.active()[:4])


def ends(plan: RunPlan) -> list[RunEnd]:
    """All right but the first attempts, and under attack the second ones, which are fooled."""
    return [
        replace(
            END,
            task=task,
            correct=attempt > (1 if cell.arm == "clean" else 2),
            cell=cell.folder,
            is_attacked=cell.arm == "attacked",
            fooled=cell.arm == "attacked" and attempt == 2,
        )
        for task, cell, attempt in plan.episodes()
    ]


def test_it_tells_what_is_done_under_way_right_and_paid(plan: RunPlan) -> None:
    """Each arm for itself, with how many were fooled; a run without a verdict is not counted as wrong."""
    line, told = LiveLine(plan), ends(plan)
    line.add(replace(told[0], correct=None, usd=None))
    assert line.words() == "20 in flight, 3 waiting, 5 refused; 1,000 tokens"
    for end in told[1:]:
        line.add(end)
    assert line.whole() == (
        "40 of 40 runs done; 20 in flight, 3 waiting, 5 refused; "
        "right: clean 85.0 %, attacked 60.0 % (fooled 20.0 %); 40,000 tokens, $9.75"
    )


def test_there_is_a_line_for_every_twentieth(plan: RunPlan) -> None:
    """Twenty in all, whatever the number of runs; more only where there are fewer runs than that."""
    assert sum(map(LiveLine(plan).add, ends(plan))) == 20
    short = replace(plan, tasks=plan.tasks[:1], arms=("clean",), runs=3)
    assert sum(map(LiveLine(short).add, ends(short))) == 3


@pytest.mark.parametrize("lines", [True, False])
def test_without_a_terminal_there_are_plain_lines_or_none(
    plan: RunPlan, capsys: pytest.CaptureFixture[str], lines: bool
) -> None:
    """On stderr; a policy has none."""
    with live_line(plan, lines=lines) as (watch, _):
        for end in ends(plan):
            watch(end)
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == (20 if lines else 0)
    assert not lines or err.splitlines()[-1].startswith("40 of 40 runs done; ")


def test_what_a_worker_tells_is_read_again() -> None:
    """As one line."""
    for end in (END, replace(END, correct=None, usd=None, task="a\nb")):
        assert read_run_end(end.line()) == end and "\n" not in end.line()
