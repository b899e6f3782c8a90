"""The table of defences."""

from __future__ import annotations

from fractions import Fraction

from rich.console import Console

from caia_replay.report.defence_table import defence_notes, defence_table
from caia_replay.runner.defence_cost import DefenceCell, DefenceCost
from caia_replay.scoring.effect import Effect

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
    """Counts of runs with and without, points with their interval where there is one, a hyphen for nothing."""
    row = [part.strip() for part in printed("quarantine", HALF, FEW).split("  ") if part.strip()]
    assert row == [
        *("policy/x", "quarantine", "4 of 6 + 1", "4 of 6 + 1", "50.0 [-12.5, 100.0]", "1, 1"),
        *("5 of 6", "5 of 6", "100.0", "1 of 6", "1 of 6"),
    ]
    assert " - " in printed("quarantine", None, None)


def test_a_name_is_one_line_and_no_markup() -> None:
    """Whatever stands in it."""
    assert "[red]a b" in printed("[red]a\nb", HALF, FEW)


def test_runs_that_were_not_scored_are_told() -> None:
    """A line for each row that has any, over its four cells; what no row tells alone stands below all."""
    whole, broken = DefenceCell(6, 6, 5), DefenceCell(6, 4, 4)
    costs = [
        DefenceCost("labelled", "x/y", whole, whole, whole, last, None, None, None, None) for last in (whole, broken)
    ]
    assert list(defence_notes(costs))[:-1] == ["not scored with x/y and labelled: 2 of 24 runs"]
    assert "shows nothing prevents everything" in list(defence_notes([]))[-1]


def test_where_tasks_are_carried_out_losses_stand_behind() -> None:
    """Four more columns, in dollars, and a hyphen where a row has none; no such column where no row has any."""
    clean, attacked = DefenceCell(6, 6, 5, realised_loss_usd="0"), DefenceCell(6, 6, 1, realised_loss_usd="812.5")
    dear = DefenceCost("labelled", "policy/x", clean, clean, attacked, clean, None, None, None, None)
    plain = DefenceCell(6, 6, 5)
    other = DefenceCost("labelled", "policy/y", plain, plain, plain, plain, None, None, None, None)
    told = [[*column.cells][-4:] for column in defence_table([dear, other]).columns[-4:]]
    assert told == [["812.5", "-"], ["0", "-"], ["0", "-"], ["0", "-"]]
    assert len(defence_table([other]).columns) == len(defence_table([dear]).columns) - 4
