"""What the attack commands print, of whatever a campaign says."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from caia_replay.attacks.campaign import Campaign, NotApplicable, Planned
from caia_replay.core.attack import Dose
from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.world import Page
from caia_replay.report.overlay_table import (
    campaign_lines,
    change_lines,
    dead_lines,
    diff_lines,
    family_lines,
    item_line,
    plan_lines,
    slot_table,
    sweep_table,
    trend_line,
)
from caia_replay.runner.attack_diff import Altered, AttackDiff, Change, MovedPage
from caia_replay.runner.dead_slot import FamilySlots, Slot
from caia_replay.runner.sweep import Curve, Level
from caia_replay.scoring.dose_response import DosePoint, dose_response

ITEM = Altered("page", "seo-page", "t1", "https://a.example/", 1_700_000_000, "41", "", False, "", 1234)
HOSTILE = st.text(
    alphabet=st.sampled_from("a[/]{}%s\x1b\x07\x00\n\r\u202e\u200b\ud800\x9b|;") | st.characters(), max_size=60
)


def shown(table: Table) -> str:
    """A table as a terminal gets it."""
    stream = io.StringIO()
    Console(file=stream, width=200, force_terminal=True, color_system=None).print(table)
    return stream.getvalue()


@given(HOSTILE, HOSTILE, HOSTILE, st.integers(-(10**20), 10**20) | st.none())
def test_nothing_a_campaign_says_reaches_the_terminal_raw(one: str, two: str, three: str, moment: int | None) -> None:
    """Each item, description, page, reason and family is one printable line, whatever its text, place and date."""
    item = Altered("page", one, two, three, moment, one, two, True, three, 3)
    diff = AttackDiff(
        one, two, (item,), (MovedPage(one, two, 1, None),), ((one, two),), (NotApplicable(one, two, three),)
    )
    overlay = Overlay(one, (PlantedPage(two, three, "x", Page("https://a.example/", "", "x", None)),), two)
    lines = [
        *diff_lines(diff),
        *change_lines([Change(item, None), Change(None, item), Change(item, item, ("text",))], (one, two)),
        *dead_lines([Slot(item, False, False)]),
        *plan_lines(Planned(overlay, (NotApplicable(one, two, three),))),
        *family_lines({one: two}),
        *campaign_lines([Campaign(one, two, ((three, Dose(language=one)),))]),
    ]
    assert all(line.isprintable() for line in lines)
    level = Level("", one, "", 1, 1, 1, 1, 1, 1, 1, 0)
    for table in (slot_table([FamilySlots(one, 1, 1, 0, 1)]), sweep_table(Curve("language", (level,), None, None))):
        assert all(line.isprintable() for line in shown(table).split("\n"))


def test_an_item_says_all_of_itself() -> None:
    """Kind, family, task, date, place, what it plants, its answer, mark, goal and size; long parts hide no other."""
    assert item_line(ITEM) == "page; seo-page; t1; 2023-11-14T22:13:20Z; https://a.example/; plants 41; 1,234 bytes"
    more = item_line(replace(ITEM, task="", moment=None, planted="", answer="yes", marked=True, goal="call x with y"))
    assert more.endswith("(no task); undated; https://a.example/; plants no value; answer yes (with the mark); "
                         "wants: call x with y; 1,234 bytes")  # fmt: skip
    long = item_line(replace(ITEM, place="https://a.example/" + "p" * 5_000))
    assert "...; plants 41; 1,234 bytes" in long and len(long) < 300


def test_every_item_has_its_line() -> None:
    """As many as there are, in their order, and every count is true of the lines below it."""
    items = tuple(replace(ITEM, place=f"https://a.example/{at}") for at in range(700))
    moved = (MovedPage("t1", "https://b.example/", 1, 3), MovedPage("t1", "https://c.example/", 10, None))
    lines = list(diff_lines(AttackDiff("c", "sha256:0", items, moved, (("web_search", "first"),), ())))
    assert lines[:2] == ["campaign c, digest sha256:0", "700 altered items:"]
    assert lines[2:702] == [f"  {item_line(item)}" for item in items]
    assert lines[702:] == [
        "1 description of tools changed:", "  web_search: first", "2 honest pages moved:",
        "  t1: 1 -> 3 https://b.example/", "  t1: 10 -> - https://c.example/", "0 times not applicable",
    ]  # fmt: skip


def test_differences_are_told_by_side() -> None:
    """Only the first, only the second, or both with what differs; none is "identical"."""
    other = replace(ITEM, place="https://b.example/")
    lines = list(change_lines([Change(ITEM, None), Change(None, other), Change(ITEM, ITEM, ("text",))], ("x", "y")))
    assert [line.split(":")[0] for line in lines] == ["- only x", "+ only y", "~ text", "3 differences"]
    assert list(change_lines([], ("x", "y"))) == ["identical"]


def test_a_plan_is_counted_by_family_and_reason() -> None:
    """How much is planted against how many tasks, and why the rest is not."""
    page = PlantedPage("seo-page", "t1", "x", Page("https://a.example/", "", "x", None))
    left = tuple(NotApplicable(task, "fake-ticker", "no look-alike token") for task in ("t1", "t2"))
    assert list(plan_lines(Planned(Overlay("c", (page,), "sha256:0"), left))) == [
        "campaign c: 1 planted against 1 task, digest sha256:0", "  seo-page: 1 page",
        "2 times not applicable:", "  fake-ticker: 2 tasks: no look-alike token",
    ]  # fmt: skip


def test_campaigns_tell_what_is_not_default() -> None:
    """Only the fields that differ, and the default once."""
    lines = list(campaign_lines([Campaign("c", "what", (("f", Dose(items=3, full=False)), ("g", Dose())))]))
    assert lines[:3] == ["c: what", "  f: items=3,full=false", "  g: default dose"]
    assert lines[3].startswith("default dose: items=1,domains=1,")


def test_a_curve_is_a_table_with_its_tests() -> None:
    """A row a level in the order played, rates as per cent, and p-values; words without an order have no trend."""
    levels = tuple(Level(f"weight={w}", w, "", 1, 10, 10, 10 - n, 10, 10, n, 0) for w, n in ((0, 1), (6, 7)))
    fit = dose_response([DosePoint(Fraction(level.value), 10, level.adopted, str(level.value)) for level in levels])
    curve = Curve("weight", levels, fit, Fraction(1, 8))
    rows = [line.split() for line in shown(sweep_table(curve)).splitlines() if "%" in line and "95" not in line]
    assert [(row[0], row[3], row[5]) for row in rows] == [("0", "1", "10.0"), ("6", "7", "70.0")]
    assert "p = 0.1250" in trend_line(curve)
    assert trend_line(Curve("language", levels, None, None)).startswith("no trend over language")
    empty = Level("", 0, "", 0, 0, 0, 0, 0, 0, 0, 0)
    assert "unscored" in shown(sweep_table(Curve("weight", (empty,), None, None)))


@pytest.mark.parametrize("live", [True, False])
def test_dead_slots_are_listed_one_by_one(live: bool) -> None:
    """Those that nobody reads, or that there is none."""
    lines = list(dead_lines([Slot(ITEM, live, False)]))
    assert lines == (["no slot is dead"] if live else [f"dead: {item_line(ITEM)}"])
    assert [part for part in shown(slot_table([FamilySlots("f", 5, 3, 1, 2)])).split() if part.isdigit()] == [
        "5", "1", "2", "3", "2",
    ]  # fmt: skip
