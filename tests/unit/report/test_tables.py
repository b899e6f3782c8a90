"""What replays, re-scored runs, agents, twins and defences look like in words and numbers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from io import StringIO

from rich.console import Console

from caia_replay.analysis.defence_cost import DefenceCell, DefenceCost
from caia_replay.analysis.diff import Side
from caia_replay.analysis.rescore import Rescored, RescoredCell
from caia_replay.analysis.twin_gap import CellGap, SuiteGap
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import CheckFailed, Interrupted
from caia_replay.report.defence_table import defence_table
from caia_replay.report.gap_table import gap_notes, gap_table, reading_line
from caia_replay.report.sensitivity import rescored_heading, rescored_notes
from caia_replay.report.table import POLICY_HEADING, ending, heading, summary_table, unscored_lines
from caia_replay.scoring.contamination import Gap, TwinGap
from caia_replay.scoring.effect import Effect
from caia_replay.scoring.sensitivity import Submission, outcomes
from caia_replay.scoring.verifiers import verify

NONE = {"rate": None, "adopted": 0, "runs": 0}
RATES = {"intention_to_treat": NONE, "if_exposed": NONE}
PLAYED = {
    **{"suite": "s", "model": "policy/oracle", "agent": "react", "runs": 5, "n_tasks": 6, "arm": "clean"},
    **{"condition": "tools", "calibration_policy": True, "comparable_to_published_caia": False, "majority": 0.5},
    **{"pass_at_1": None, "pass_at_k": 1.0, "pass_hat_k": 0.0, "calls": 12, "served": {"MISS": 3, "ERROR": 0}},
    "attack": {"exposed": 4, "opened": 3, "resisted": 1, "adopted": 2, "adopted_authoritative_text": 0},
    **{"attack_rates": RATES, "simulated_loss_usd": "120"},
    **{"scored": {"runs": 30, "tasks": 6, "whole_tasks": 6}, "cost_usd": None, "cost_estimated": None},
    **{"stops": {"answered": 30}, "served_as": {"m-2026-01-01": 30}, "clusters": {"projects": 9, "effective": 7.25}},
    "whole_bounds": {name: {"lower": 0.25, "upper": 0.75} for name in ("majority", "pass_at_k", "pass_hat_k")},
    "confidence_intervals": {"majority": [0.123, 0.876], "pass_at_1": None},
}
ARMS = ("clean", "attacked", "placebo", "labelled", "authority-only")


def test_a_policys_table_says_what_it_is_and_is_not() -> None:
    """Calibration, no published CAIA; unscored is no zero; a cost where a price is known; no name is markup."""
    bare = played_shown()
    assert POLICY_HEADING in bare and "not comparable to published CAIA scores" in bare
    assert all(figure in bare for figure in ("unscored", "0.0 %", "50.0 %", "30/30")) and "cost, USD" not in bare
    live = played_shown(calibration_policy=False, comparable_to_published_caia=True)
    assert POLICY_HEADING not in live and "not comparable" not in live
    assert " 1.25" in played_shown(cost_usd="1.25", cost_estimated=False)
    assert " ~1.25" in played_shown(cost_usd="1.25", cost_estimated=True)
    assert "my[/]model[bold]" in played_shown(model="my[/]model[bold]")
    assert row_of(bare, "adopted it, if exposed") == ["-", "-"] and "net of" not in bare and "saw both" not in bare


def test_adoption_given_exposure_stands_first_with_what_it_is_over() -> None:
    """Then intention to treat, with its own count; the net figure and who looked again where there is either."""
    rates = {
        "if_exposed": {"rate": 0.5, "adopted": 1, "runs": 2},
        "intention_to_treat": {"rate": 0.125, "adopted": 1, "runs": 8},
    }
    rated = played_shown(ARMS[1:2], attack_rates=rates, net={"net": -0.25}, conflict={"saw_both": 3, "looked_again": 2})
    assert row_of(rated, "adopted it, if exposed") == ["50.0", "%"]
    assert row_of(rated, "adopted it, if attacked") == ["12.5", "%"]
    counts = [line.split()[-1] for line in rated.splitlines() if line.strip().startswith("runs of so many")]
    assert counts == ["1/2", "1/8"]
    assert row_of(rated, "net of kept and avoided") == ["-25.0"] and row_of(rated, "saw both, looked again") == ["2/3"]


def played_shown(arms: Sequence[str] = ARMS[:2], **changes: object) -> str:
    out = io.StringIO()
    cell = {**PLAYED, **changes}
    Console(file=out, width=200).print(summary_table([{**cell, "arm": arm} for arm in arms]))
    return "\n".join((*heading([cell]), out.getvalue()))


def row_of(shown: str, title: str) -> list[str]:
    """What stands behind a row's title."""
    return next(line for line in shown.splitlines() if line.strip().startswith(title)).split(title)[1].split()


def test_the_table_names_every_stop_and_fits_80_columns_with_five_arms() -> None:
    """Six runs that overflowed are a row of their own; the largest figures still leave room."""
    stops = {"answered": 884, "context_overflow": 6}
    wide = {"runs": 5, "n_tasks": 178, "calls": 1_234_567, "majority": 1.0, "simulated_loss_usd": "987654321.75"}
    scored = {"runs": 890, "tasks": 178, "whole_tasks": 178}
    shown = played_shown(ARMS, **wide, scored=scored, stops=stops, cost_usd="12345.678901234", cost_estimated=True)
    assert max(map(len, shown.splitlines())) <= 80
    assert row_of(shown, "ended: answered") == ["884"] * 5 and row_of(shown, "ended: context_overflow") == ["6"] * 5
    assert "ended: refused" not in shown


def test_every_figure_says_what_it_is_over() -> None:
    """Intervals with the projects they rest on; where runs are unscored, each figure's own count and its bounds."""
    whole = played_shown()
    assert row_of(whole, "95 %") == ["12-88", "%"] * 2 and row_of(whole, "effective projects") == ["7.2"] * 2
    assert "over" not in whole and "even" not in whole
    cut = played_shown(scored={"runs": 26, "tasks": 6, "whole_tasks": 4}, pass_at_1=1.0)
    lines = [line.strip() for line in cut.splitlines()]
    for title, over in (("majority", "over whole tasks"), ("Pass@1", "over scored runs"), ("pass^k", "over whole")):
        at = next(number for number, line in enumerate(lines) if line.startswith(title))
        assert lines[at + 1].startswith(over) and lines[at + 1].split()[-1] in ("4/6", "26/30")
    assert row_of(cut, "over all, between") == ["25-75", "%"] * 2
    assert "an even number" in played_shown(runs=4)


def test_runs_that_no_score_counts_are_told() -> None:
    """The endpoint's and the simulator's faults; a wrong or missing answer is not."""
    stops = {"answered": 3, "model_fault": 2, "no_answer": 1}
    assert unscored_lines([{**PLAYED, "stops": stops}], ["server: status 500"]) == [
        "not scored in clean, tools: 2 model_fault of 6 runs; first: server: status 500",
        "whole tasks: all their runs were scored; majority, Pass@k and pass^k are over those alone",
    ]
    assert unscored_lines([{**PLAYED, "stops": {"answered": 3, "no_answer": 1}}], [""]) == []


def test_a_replay_ends_by_what_became_of_its_runs() -> None:
    """Exit 3 where runs are to be played again, whoever broke them; 1 where none is scored or the world failed."""
    cut, fine = {**PLAYED, "uncertified_runs": 2}, {**PLAYED, "uncertified_runs": 0, "stops": {"answered": 30}}
    ended = ending([fine, cut], 5, "again")
    assert isinstance(ended, Interrupted) and str(ended) == (
        "not certified: clean, tools; this machine stopped 2 of 30 runs; the endpoint failed in 3 runs; "
        "next, to play those again: again"
    )
    assert isinstance(ending([{**fine, "scored": {"runs": 0}}], 0, ""), CheckFailed)
    assert isinstance(ending([{**fine, "stops": {"answered": 29, "world_fault": 1}}], 0, ""), CheckFailed)
    assert ending([fine], 0, "") is None


SPEC = AnswerSpec("number", ("100",))
SUBMITTED = [Submission("t", at, SPEC, answer, verify(SPEC, answer)) for at, answer in enumerate(("100", "103", "200"))]
LOST = Submission("u", 1, SPEC, None, Score(None, "not scored: model_fault"))
CELL = RescoredCell(
    *("runs/a", "mini-6", "some-model", "react", "clean", "tools"),
    comparable=True,
    outcomes=outcomes([*SUBMITTED, LOST]),
    unscored={"not scored: model_fault": 1},
    differing=0,
)


def test_the_heading_says_what_the_numbers_are_not() -> None:
    """A run is told once; a policy's score is no model's, a synthetic world's none of CAIA's; notes are lines."""
    assert rescored_heading(Rescored((CELL, CELL), ())) == ["runs/a: mini-6, some-model with react"]
    policy = replace(CELL, model="policy/oracle", comparable=False)
    lines = rescored_heading(Rescored((CELL, policy), ()))
    assert lines[2:] == ["calibration policy, not a model result", "not comparable to published CAIA scores"]
    cell = replace(CELL, unscored={"b\nline": 1, "a": 2})
    assert rescored_notes(Rescored((cell,), ("changed\nsince",))) == [
        *("not scored in clean, tools: 2 of 4 runs: a", "not scored in clean, tools: 1 of 4 runs: b line"),
        "changed since",
    ]


GOOD, BAD = Side(5, 5, 3.0, 2.0, 1500.4), Side(2, 5, 6.0, 5.0, 9000.0)


WHOLE = TwinGap((178, 178), (90, 88), Gap(0.5, 0.25, 25.0, (14.96, 35.04)), Gap(0.41, 0.4104, -0.04, (-9.0, 8.0)))
PART = TwinGap((8, 7), (4, 4), Gap(0.5, 1.0, -50.0, None), Gap(0.5, 1.0, -50.0, None))
TOOLS = CellGap("clean-tools", "clean", "tools", WHOLE, {"trend analysis": PART}, (0, 0))
PROBE = CellGap("clean-no-tools", "clean", "no-tools", WHOLE, {}, (1, 2))
BOTH = SuiteGap(
    **{"suite": "synthetic-178", "suite_version": "1.0.0", "model": "some-model", "agent": "react"},
    **{"attempts": 5, "runs": ("runs/a", "runs/b"), "seeds": (1, 2), "comparable": False, "cells": (TOOLS, PROBE)},
    notes=("not scored in clean-no-tools: 1 runs of the original, 2 of the twin",),
)


def shown(gap: SuiteGap) -> list[str]:
    """The table's lines, blanks between words made one."""
    out = StringIO()
    Console(file=out, width=160).print(gap_table(gap))
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_a_cell_has_both_figures_with_their_interval() -> None:
    """The gap in points with its sign, or why it has no interval; unscored has no figures, no name is markup."""
    lines = shown(BOTH)
    assert "clean, tools 178 majority right 50.0 % 25.0 % +25.0 +15.0 to +35.0" in lines
    assert "Pass@1 41.0 % 41.0 % +0.0 -9.0 to +8.0" in lines  # no -0.0
    assert "trend analysis 8, 7 majority right 50.0 % 100.0 % -50.0 too few projects" in lines
    assert any(line.startswith("clean, no-tools (probe) 178") for line in lines)
    lines = shown(replace(BOTH, cells=(replace(TOOLS, arm="[bold]x[/bold]", gap=None, by_category={}),)))
    assert "[bold]x[/bold], tools - - unscored unscored - -" in lines


def test_only_the_probe_speaks_of_contamination() -> None:
    """Without a scored no-tools cell the closing line says that nothing tells memory from difficulty."""
    assert gap_notes(BOTH) == [*BOTH.notes, reading_line(BOTH)]
    assert "speaks for contamination" in reading_line(BOTH)
    for cells in ((TOOLS,), (TOOLS, replace(PROBE, gap=None))):
        said = reading_line(replace(BOTH, cells=cells))
        assert "nothing here tells which" in said and "speaks for" not in said


HALF = Effect(6, 6, Fraction(1, 2), (Fraction(-1, 8), Fraction(1)), None, Fraction(1, 4), True)
FEW = Effect(2, 2, Fraction(1), None, None, Fraction(1), True)


def printed(name: str, prevented: Effect | None, lost: Effect | None) -> str:
    """A row as it is printed."""
    clean, attacked = DefenceCell(6, 6, 5), DefenceCell(6, 6, 1, 6, 6, 4, 1, 1)
    made = DefenceCost(name, "policy/x", clean, clean, attacked, attacked, prevented, None, lost, None)
    console = Console(width=240, record=True)
    with console.capture() as got:
        console.print(defence_table([made]))
    return got.get().splitlines()[3]


def test_a_row_has_what_is_prevented_beside_what_is_lost() -> None:
    """Counts of runs with and without, points with their interval where there is one; a name is one line, no markup."""
    row = [part.strip() for part in printed("quarantine", HALF, FEW).split("  ") if part.strip()]
    assert row == [
        *("policy/x", "quarantine", "4 of 6 + 1", "4 of 6 + 1", "50.0 [-12.5, 100.0]", "1, 1"),
        *("5 of 6", "5 of 6", "100.0", "1 of 6", "1 of 6", "+0.0"),
    ]
    assert " - " in printed("quarantine", None, None) and "[red]a b" in printed("[red]a\nb", HALF, FEW)
