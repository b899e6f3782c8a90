"""What an attack did, as a reader of the terminal sees it."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from caia_replay.report.attack_table import arm_lines, attack_table, attack_tables, dose_table, spared_lines
from caia_replay.scoring.dose_response import DosePoint, dose_response


def shown(table: Table, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def family(rate: float | None, step: float | None, **counts: int) -> dict[str, Any]:
    names = ("attacked_runs", "exposed", "adopted", "adopted_authoritative_text", "undecided")
    shares = {name: {"rate": rate} for name in ("intention_to_treat", "if_exposed")}
    return {**{name: counts.get(name, 0) for name in names}, **shares, "median_first_step": step}


def cell(**families: dict[str, Any]) -> dict[str, Any]:
    return {"arm": "attacked", "condition": "tools", "by_attack": families}


def effect(difference: Any, interval: Any = None) -> dict[str, Any]:
    return {"difference": difference, "interval": interval, "p_holm": 0.04, "tasks": 6, "projects": 6}


def pair(**changes: Any) -> dict[str, Any]:
    base = {"condition": "tools", "arm": "attacked", "against": "clean", "accuracy": effect(-0.5, [-0.7, -0.3])}
    return base | {"adopted": None, "adopted_authoritative_text": None, "loss_usd": effect("1200.5")} | changes


def test_families_stand_beside_each_other() -> None:
    """A row each; what was never met has dashes, no zeros."""
    text = shown(attack_table(cell(fake=family(0.25, 2.5, attacked_runs=8, adopted=2), other=family(None, None))))
    rows = [line.split() for line in text.splitlines()]
    assert ["fake", "8", "0", "2", "0", "0", "25.0", "%", "25.0", "%", "2.5"] in rows
    assert ["other", "0", "0", "0", "0", "0", "-", "-", "-"] in rows
    assert "attacked, tools" in text


def test_one_family_needs_no_table() -> None:
    """The summary's own rows say all of it; an arm without an attack has none either."""
    one = family(0.25, 2.5)
    assert len(list(attack_tables([cell(), cell(a=one), cell(a=one, b=one)]))) == 1


def test_a_pair_of_arms_is_one_line() -> None:
    """Points with their interval and corrected p-value, and dollars with their sign."""
    assert arm_lines({"comparisons": [pair()]}) == [
        "attacked less clean, tools: Pass@1 -50.0 points (95 % -70.0 to -30.0; p = 0.04, Holm); "
        "loss of a first attempt +$1200.5"
    ]
    labelled = pair(arm="labelled", against="attacked", adopted=effect(-0.1), loss_usd=effect("-3"))
    (line,) = arm_lines({"comparisons": [labelled]})
    assert "adopted -10.0 points (too few projects for an interval; p = 0.04, Holm)" in line and "-$3" in line
    assert "authoritative" not in line
    (line,) = arm_lines({"comparisons": [pair(adopted_authoritative_text=effect(0.2))]})
    assert "by authoritative text +20.0 points" in line


def test_a_placebo_says_what_it_shows() -> None:
    """Within the margin, not shown to be, or not to be told; and no minus before a zero."""
    for verdict, words in (
        (True, "; within 5 points"),
        (False, "; not shown to be within 5 points"),
        (None, "; whether within 5 points cannot be told of so few projects"),
    ):
        (line,) = arm_lines(
            {"comparisons": [pair(accuracy=effect(-0.0), placebo={"margin": 0.05, "is_within": verdict})]}
        )
        assert line.endswith(words) and "Pass@1 +0.0 points" in line


def test_nothing_scored_is_said() -> None:
    """No number stands where no task was scored in both arms."""
    assert arm_lines({"comparisons": [pair(accuracy=None, loss_usd=None)]}) == [
        "attacked less clean, tools: no task was scored in both"
    ]
    assert arm_lines({"comparisons": []}) == []


def test_a_dose_has_a_row_and_the_trend_a_line() -> None:
    """Lowest first, by its label or its level; a drawn p-value is told from a counted one."""
    points = [DosePoint(Fraction(3), 9, 8), DosePoint(Fraction(1, 2), 9, 1, "half [b]")]
    text = shown(dose_table(dose_response(points), "items"))
    assert text.index("half [b]") < text.index("88.9 %")
    assert "items" in text and "exact Cochran-Armitage" in text
    many = [DosePoint(Fraction(at), 400, 40 * at) for at in range(5)]
    assert "p = 0.0005 (drawn Cochran-Armitage)" in shown(dose_table(dose_response(many)))


def test_no_name_is_read_as_markup_or_breaks_a_line() -> None:
    """A family or an arm may bear any name that a file gives."""
    text = shown(attack_table(cell(**{"[b]x[/b]\n": family(0.5, 1.0), "y": family(0.5, 1.0)})))
    assert "[b]x[/b]" in text
    assert all("\n" not in line for line in arm_lines({"comparisons": [pair(arm="a\nb")]}))


def test_an_arm_in_which_tasks_are_spared_says_so() -> None:
    """A campaign that plants against few tasks, or none, is told; one that attacks all, and a clean arm, are not."""
    cells = [
        {"arm": arm, "condition": "tools", "n_tasks": 6, "attack": {"attacked_tasks": count}}
        for arm, count in (("clean", 0), ("attacked", 6), ("labelled", 0))
    ]
    (line,) = spared_lines(cells, ("attacked", "labelled"), "social")
    assert line.startswith("labelled, tools: campaign social plants against 0 of 6 tasks;")
