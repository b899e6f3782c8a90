"""What attacks, overlays and discernment look like to a reader of the terminal, and JSON that may be shown there."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from caia_replay.analysis.attack_diff import Altered, AttackDiff, Change, MovedPage
from caia_replay.analysis.sweep import Curve, Level
from caia_replay.analysis.unread_injection import Slot
from caia_replay.attacks.campaign import Campaign, NotApplicable, Planned
from caia_replay.core.attack import Dose
from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.world import Page
from caia_replay.report.attack_table import arm_lines, attack_table, attack_tables, spared_lines
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
)
from caia_replay.report.terminal import printed_json


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
    """A row each; what was never met has dashes, no zeros; one family needs no table, and no name is markup."""
    text = shown(attack_table(cell(fake=family(0.25, 2.5, attacked_runs=8, adopted=2), other=family(None, None))))
    rows = [line.split() for line in text.splitlines()]
    assert ["fake", "8", "0", "2", "0", "0", "25.0", "%", "25.0", "%", "2.5"] in rows
    assert ["other", "0", "0", "0", "0", "0", "-", "-", "-"] in rows
    assert "attacked, tools" in text
    one = family(0.25, 2.5)
    assert len(list(attack_tables([cell(), cell(a=one), cell(a=one, b=one)]))) == 1
    assert "[b]x[/b]" in shown(attack_table(cell(**{"[b]x[/b]\n": one, "y": one})))


def test_a_pair_of_arms_is_one_line() -> None:
    """Points with interval and corrected p-value, dollars with sign; what a placebo shows; nothing scored is said."""
    assert arm_lines({"comparisons": [pair()]}) == [
        "attacked minus clean, tools: Pass@1 -50.0 points (95 % -70.0 to -30.0; p = 0.04, Holm); "
        "loss of a first attempt +$1200.5"
    ]
    labelled = pair(arm="labelled", against="attacked", adopted=effect(-0.1), loss_usd=effect("-3"))
    (line,) = arm_lines({"comparisons": [labelled]})
    assert "adopted -10.0 points (too few projects for an interval; p = 0.04, Holm)" in line and "-$3" in line
    assert "authoritative" not in line
    (line,) = arm_lines({"comparisons": [pair(adopted_authoritative_text=effect(0.2))]})
    assert "by authoritative text +20.0 points" in line
    for verdict, words in (
        (True, "; within 5 points"),
        (False, "; not shown to be within 5 points"),
        (None, "; whether within 5 points cannot be told of so few projects"),
    ):
        told = pair(accuracy=effect(-0.0), placebo={"margin": 0.05, "is_within": verdict})
        (line,) = arm_lines({"comparisons": [told]})
        assert line.endswith(words) and "Pass@1 +0.0 points" in line  # no minus before a zero
    (line,) = arm_lines({"comparisons": [pair(arm="a\nb", accuracy=None, loss_usd=None)]})
    assert line == "a b minus clean, tools: no task was scored in both" and arm_lines({"comparisons": []}) == []


def test_an_arm_in_which_tasks_are_spared_says_so() -> None:
    """A campaign that plants against few tasks, or none, is told; one that attacks all, and a clean arm, are not."""
    cells = [
        {"arm": arm, "condition": "tools", "n_tasks": 6, "attack": {"attacked_tasks": count}}
        for arm, count in (("clean", 0), ("attacked", 6), ("labelled", 0))
    ]
    (line,) = spared_lines(cells, ("attacked", "labelled"), "social")
    assert line.startswith("labelled, tools: campaign social plants against 0 of 6 tasks;")


ITEM = Altered("page", "seo-page", "t1", "https://a.example/", 1_700_000_000, "41", "", False, "", 1234)
HOSTILE = st.text(
    alphabet=st.sampled_from("a[/]{}%s\x1b\x07\x00\n\r\u202e\u200b\ud800\x9b|;") | st.characters(), max_size=60
)


def shown(table: Table, width: int = 200) -> str:
    """A table as a terminal gets it."""
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, color_system=None).print(table)
    return stream.getvalue()


@given(HOSTILE, HOSTILE, HOSTILE, st.integers(-(10**20), 10**20) | st.none())
def test_nothing_a_campaign_says_reaches_the_terminal_raw(one: str, two: str, three: str, moment: int | None) -> None:
    """Each item, description, page, reason and family is one printable line, whatever its text, place and date."""
    item = Altered("page", one, two, three, moment, one, two, True, three, 3)
    left, moved = NotApplicable(one, two, three), MovedPage(one, two, 1, None)
    overlay = Overlay(one, (PlantedPage(two, three, "x", Page("https://a.example/", "", "x", None)),), two)
    lines = [
        *diff_lines(AttackDiff(one, two, (item,), (moved,), ((one, two),), (left,))),
        *change_lines([Change(item, None), Change(None, item), Change(item, item, ("text",))], (one, two)),
        *dead_lines([Slot(item, False, False)]),
        *plan_lines(Planned(overlay, (left,))),
        *family_lines({one: two}),
        *campaign_lines([Campaign(one, two, ((three, Dose(language=one)),))]),
    ]
    assert all(line.isprintable() for line in lines)
    level = Level("", one, "", 1, 1, 1, 1, 1, 1, 1, 0, (0.25, 1.0))
    for table in (slot_table({one: (1, 1, 0, 1, 0)}), sweep_table(Curve("language", (level,), None, None))):
        assert all(line.isprintable() for line in shown(table).split("\n"))


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


TEXT = st.text(st.characters(categories=None) | st.sampled_from("\x7f\x9b\u202e\u200b\ufeff\ud800\U000e0041\u2028中"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_it_is_the_same_value_in_printable_letters(value: Any) -> None:
    """Read again it is equal, no line of it holds what is not printable, and letters of any language stay."""
    text = printed_json(value)
    assert json.loads(text) == value and all(line.isprintable() for line in text.split("\n"))
    assert printed_json({"a": "价格 42 é\x9b"}) == '{\n  "a": "价格 42 é\\u009b"\n}'
