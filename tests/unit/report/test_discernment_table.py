"""Discernment as tables."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from rich.console import Console
from rich.table import Table

from caia_replay.report.discernment_table import (
    check_line,
    check_table,
    label_table,
    study_lines,
    study_table,
    swap_table,
)
from caia_replay.runner.discernment import ChannelReading
from caia_replay.runner.discernment_check import Check, Known, Recovery
from caia_replay.runner.discernment_study import Row, Study, Swap
from caia_replay.runner.discernment_verdict import LabelEffect
from caia_replay.scoring.discernment import discernment
from caia_replay.scoring.discernment_shuffle import Shuffled
from caia_replay.scoring.effect import Effect
from tests.discernment_law import claims_of

NOTHING = discernment("post", [])
FOUND = discernment("page", claims_of(20, 20, 20, 5))
PAGE = ChannelReading("page", 41, 1, 40, FOUND, FOUND)
ROW = Row("none", "page", "drawn", ("d",), PAGE, Shuffled(99, Fraction(1, 100), -0.7, 0.7), {"no network": 2})
SILENT = replace(ROW, channel="post", reading=ChannelReading("post", 0, 0, 0, NOTHING, NOTHING), shuffled=None)
UNHEARD = replace(ROW, channel="docs", reading=replace(PAGE, channel="docs", heard=0))


def printed(table: Table) -> list[list[str]]:
    """Cells as they are printed, row by row."""
    console = Console(width=240)
    with console.capture() as got:
        console.print(table)
    lines = [line for line in got.get().splitlines() if line.strip() and "─" not in line]
    return [[part.strip() for part in line.split("   ") if part.strip()] for line in lines]


def study(*rows: Row, swaps: tuple[Swap, ...] = ()) -> Study:
    """A study of 43 tasks."""
    return Study({"tasks": ["t"] * 43}, rows, swaps, (), ())


def test_a_row_has_counts_and_figures() -> None:
    """An end that nothing bounds is ``inf``; who told nothing has no row, and who was shown nothing no figures."""
    rows = printed(study_table(study(ROW, SILENT, UNHEARD)))
    assert rows[0] == [
        *("channel", "claims", "heard", "true accepted", "false accepted", "abstained"),
        *("d' [95 %]", "criterion [95 %]", "d' if shuffled", "p"),
    ]
    assert rows[1][:6] == ["page", "41", "40", "20 of 20", "5 of 20", "0, 0"]
    assert rows[1][6].startswith("2.62 [") and rows[1][6].endswith(", inf]")
    assert rows[1][8:] == ["[-0.70, 0.70]", "0.0100"]
    assert rows[2][6:] == ["-"] * 4 and len(rows) == 3


def test_tellings_and_labels_stand_where_there_are_some() -> None:
    """And only there."""
    swapped = replace(ROW, telling="swapped", labels="true")
    assert printed(study_table(study(ROW, swapped)))[2][:3] == ["page", "true", "swapped"]
    swap = Swap("none", "page", 6, 5, 1, 2, 1, 0, 2)
    rows = printed(swap_table([swap, replace(swap, channel="post", pairs=0)]))
    assert rows[1:] == [["page", "6", "5", "1", "2", "1", "0", "2"]]
    assert printed(swap_table([replace(swap, labels="true")]))[1][:2] == ["page", "true"]


def test_what_a_reader_must_know_is_a_line() -> None:
    """Tasks that are told nothing, channels that reached nobody, runs that are not scored; once for each channel."""
    both = replace(UNHEARD, telling="both")
    lines = list(study_lines(study(ROW, replace(ROW, telling="swapped"), UNHEARD, both)))
    assert lines == [
        "page: 2 of 43 tasks are told nothing: no network",
        "page: 2 of 82 runs are not scored",
        "docs: 2 of 43 tasks are told nothing: no network",
        "docs: no run was shown a claim, so nothing could be discerned",
        "docs: 1 of 41 runs are not scored",
    ]


def test_labels_move_acceptance_by_points() -> None:
    """With their interval where there is one; a channel without a pair has no row."""
    effect = Effect(6, 6, Fraction(1, 2), (Fraction(-1, 8), Fraction(1)), None, Fraction(1, 4), True)
    few = replace(effect, interval=None)
    rows = printed(
        label_table([LabelEffect(name, "swapped", "true", one) for name, one in zip("abc", (effect, few, None))])
    )
    assert rows[1] == ["a", "swapped", "true", "6", "50.00 [-12.50, 100.00]", "0.2500"]
    assert rows[2] == ["b", "swapped", "true", "6", "50.00", "0.2500"] and len(rows) == 3


def test_known_agents_stand_beside_what_was_found() -> None:
    """Whether their intervals hold, and how many do."""
    row = Recovery(Known(2.0, 0.3), "d", PAGE, True, False)
    made = Check({}, (row, replace(row, reading=SILENT.reading, holds_d_prime=None, holds_criterion=None)))
    rows = printed(check_table(made))
    assert rows[1][:6] == ["page", "2", "41", "40", "20 of 20", "5 of 20"] and rows[1][8:10] == ["yes", "0.3"]
    assert rows[1][-1] == "no" and rows[2][-1] == "-" and rows[2][0] == "post"
    assert check_line(made) == "1 of 1 intervals of d' hold what is known; 95 % are stated"
