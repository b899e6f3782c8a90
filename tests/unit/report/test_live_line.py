"""What one sees while a model is replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.report.live_line import LiveLine, live_line
from caia_replay.runner.run_end import RunEnd, read_run_end
from caia_replay.store.world_folder import open_world

END = RunEnd("", True, 1_000, "0.25", 20, 3, 5, 16)


@pytest.fixture
def line(shipped: Path) -> LiveLine:
    """Over forty runs of the shipped suite's tasks, ten of each."""
    folder = open_world(str(shipped))
    return LiveLine(40, {task: folder.task(task) for task in folder.suite.active()})


def ends(line: LiveLine) -> list[RunEnd]:
    tasks = sorted(line._tasks)
    return [replace(END, task=tasks[at % len(tasks)], correct=at % 4 != 0) for at in range(40)]


def test_it_tells_what_is_done_under_way_right_and_paid(line: LiveLine) -> None:
    """With the interval of what is right once that can be told; a run without a verdict is not counted as wrong."""
    line.add(replace(END, task=sorted(line._tasks)[0], correct=None, usd=None))
    assert line.words() == "20 in flight, 3 waiting, 5 refused, 1,000 tokens"
    for end in ends(line)[:-1]:
        line.add(end)
    words = line.whole()
    assert words.startswith("40 of 40 runs done; 20 in flight, 3 waiting, 5 refused, right 74.4 % (")
    assert words.endswith(" to 94.8 %), 40,000 tokens, $9.75") or " %), 40,000 tokens, $9.75" in words


def test_there_is_a_line_for_every_twentieth(line: LiveLine) -> None:
    """Twenty in all, whatever the number of runs; more only where there are fewer runs than that."""
    assert sum(map(line.add, ends(line))) == 20
    short = LiveLine(3, line._tasks)
    assert sum(map(short.add, ends(line)[:3])) == 3


@pytest.mark.parametrize("lines", [True, False])
def test_without_a_terminal_there_are_plain_lines_or_none(
    line: LiveLine, capsys: pytest.CaptureFixture[str], lines: bool
) -> None:
    """On stderr; a policy has none."""
    with live_line(40, line._tasks, lines=lines) as (watch, _):
        for end in ends(line):
            watch(end)
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == (20 if lines else 0)
    assert not lines or err.splitlines()[-1].startswith("40 of 40 runs done; ")


def test_what_a_worker_tells_is_read_again() -> None:
    """As one line."""
    for end in (END, replace(END, correct=None, usd=None, task="a\nb")):
        assert read_run_end(end.line()) == end and "\n" not in end.line()
