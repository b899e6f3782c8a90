"""The table of re-scored runs."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.report.sensitivity import rescored_heading, rescored_notes, sensitivity_table
from caia_replay.runner.rescore import Rescored, RescoredCell
from caia_replay.scoring.sensitivity import Submission, outcomes
from caia_replay.scoring.verifiers import verify

SPEC = AnswerSpec("number", ("100",))
RUNS = [Submission("t", at, SPEC, answer, verify(SPEC, answer)) for at, answer in enumerate(("100", "103", "200"))]
LOST = Submission("u", 1, SPEC, None, Score(None, "not scored: model_fault"))
CELL = RescoredCell(
    *("runs/a", "mini-6", "some-model", "react", "clean", "tools"),
    comparable=True,
    outcomes=outcomes([*RUNS, LOST]),
    unscored={"not scored: model_fault": 1},
    differing=0,
)


def shown(*cells: RescoredCell) -> list[str]:
    console = Console(width=140)
    with console.capture() as capture:
        console.print(sensitivity_table(cells))
    return [" ".join(line.split()) for line in capture.get().splitlines() if line.strip()]


def test_every_rule_has_a_line_with_what_it_changes() -> None:
    """The own rule changes nothing by itself; a wider one tells how many verdicts, and which way."""
    lines = shown(CELL)
    assert lines[0] == "judged by Pass@1 majority right partial changed raised lowered"
    assert set(lines[0].split()[2:]) - {"Pass@1"} < set(CELL.outcomes[0].plain())
    assert "clean, tools own rule 33.3 % 0.0 % 1 of 3 - - - -" in lines
    assert "+-4 % 66.7 % 100.0 % 2 of 3 - 1 1 0" in lines
    assert "partial credit 50.0 % - 1 of 3 1 1 1 0" in lines
    assert len(lines) == 2 + len(CELL.outcomes)


def test_a_cell_names_its_run_only_among_several() -> None:
    """One run needs no name; two do, by their folder."""
    lines = shown(CELL, replace(CELL, run="runs/b", arm="attacked"))
    assert [line.split(" own rule")[0] for line in lines if " own rule" in line] == [
        "a: clean, tools",
        "b: attacked, tools",
    ]


def test_a_cell_of_unscored_runs_says_so() -> None:
    """Nothing scored is no zero."""
    lines = shown(replace(CELL, outcomes=outcomes([LOST])))
    assert "clean, tools own rule unscored unscored 0 of 0 - - - -" in lines


def test_the_heading_says_what_the_numbers_are_not() -> None:
    """A run is told once; a policy's score is no model's, and a synthetic world's none of CAIA's."""
    assert rescored_heading(Rescored((CELL, CELL), ())) == ["runs/a: mini-6, some-model with react"]
    policy = replace(CELL, model="policy/oracle", comparable=False)
    lines = rescored_heading(Rescored((CELL, policy), ()))
    assert lines[2:] == ["calibration policy, not a model result", "not comparable to published CAIA scores"]


def test_notes_count_unscored_runs_by_reason() -> None:
    """A line for each reason, then the notes, each on one line whatever it holds."""
    cell = replace(CELL, unscored={"b\nline": 1, "a": 2})
    assert rescored_notes(Rescored((cell,), ("changed\nsince",))) == [
        *("not scored in clean, tools: 2 of 4 runs: a", "not scored in clean, tools: 1 of 4 runs: b line"),
        "changed since",
    ]
