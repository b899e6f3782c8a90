"""Our gold rows beside the real questions, read in place: every one explained, and none of CAIA's words among them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from caia_replay.core.expression import references
from caia_replay.interop.caia_format import CaiaRow, read_rows
from caia_replay.interop.gold_row import GOLD, GoldRow, gold_of, read_gold
from caia_replay.interop.planned import planned_tasks
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_calls import depends
from caia_replay.recording.plan_report import affordable, plan_lines
from caia_replay.tools.catalog import CATALOG
from caia_replay.validation.conditions import gold_pattern_faults

CLASSES: Final = {
    "100 USD, judge": "10 17 33 68 94 116 128 148 149 166 168 173 176",
    "100 USD, pages": "107 150 163",
    "100 USD, rule": "53 59 119 127 131 143 145",
    "free, judge": (
        "3 11 12 13 16 21 24 27 31 38 39 42 43 44 45 49 62 63 65 67 73 74 75 76 77 79 80 85 92 95 99 100 104 "
        "109 114 115 120 121 125 133 135 136 141 142 144 151 154 159 160 161 162 167 170 171 175 177"
    ),
    "free, pages": "25 52 55 60 66 93 105 108 111 134 137 147 153 157",
    "free, rule": (
        "1 2 4 5 6 7 8 14 18 19 20 22 23 28 29 30 32 34 35 36 37 41 46 47 48 54 57 58 72 81 82 83 84 86 87 "
        "88 89 90 96 98 102 113 117 118 123 124 126 130 139 146 152 164 165 169"
    ),
    "more, rule": "56",
    "needs provider": "9 40 61 64 69 70 71 112 132 138 172 174 178",
    "unanchored": "15 26 50 51 78 91 97 101 106 110 122 129 140 155 156",
    "will miss": "103 158",
}
"""What a recording of each of the 178 gives, by the plan: the price, and how its answer is then known."""
TODAY: Final = 1_795_910_400
"""29 November 2026, the day of the plan's terms: what vendors keep of their histories ends so many days before it."""
SHARED_WORDS = 7
"""So many words in a row of a question or an answer would be a sentence of CAIA's."""


@pytest.fixture(scope="module")
def rows(real_data: Path) -> list[CaiaRow]:
    return read_rows(real_data / "caia" / "benchmark_178.csv")


@pytest.fixture(scope="module")
def gold() -> Mapping[str, GoldRow]:
    return read_gold()


def words(text: str) -> list[str]:
    """Words in lower case; a Chinese character is one."""
    return re.findall(r"[a-z0-9.$%]+|[\u4e00-\u9fff]", text.lower())


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + SHARED_WORDS]) for at in range(len(found) - SHARED_WORDS + 1)}


def test_every_question_has_a_chain_or_a_reason(rows: list[CaiaRow], gold: Mapping[str, GoldRow]) -> None:
    """Found by id and digest; the counts are those that the guide tells."""
    found = [gold_of(row, gold) for row in rows]
    assert None not in found and len(gold) == len(rows) == 178
    kinds = Counter(one.why_not or "chain" for one in gold.values())
    assert kinds == {"chain": 113, "needs judgement": 48, "no provider": 13, "answer disputed": 4}
    guide = (Path(__file__).parents[2] / "docs" / "record-the-real-caia.md").read_text()
    assert all(f"| {count} |" in guide for count in kinds.values())
    assert (gold["1"].steps, gold["1"].result) == (gold["30"].steps, gold["30"].result)  # one question twice
    assert gold["63"].why_not == "answer disputed"


def test_no_sentence_of_the_benchmark_is_in_our_rows(rows: list[CaiaRow]) -> None:
    """Neither of a question nor of an answer, in any language."""
    ours = {run for path in GOLD.glob("*.toml") for run in runs(path.read_text("utf-8"))}
    shared = {row.id: runs(f"{row.question}\n{row.answer}") & ours for row in rows}
    assert {key: found for key, found in shared.items() if found} == {}


def test_no_chain_holds_its_answer(rows: list[CaiaRow], gold: Mapping[str, GoldRow]) -> None:
    """A long answer, whole, stands in no step, result or note of its row."""
    given_away = []
    for row in rows:
        answer = (row.answer or "").strip().lower()
        one = gold[row.id]
        told = f"{one.steps} {one.result} {one.note}".lower()
        if len(answer) >= 12 and answer in told and answer not in row.question.lower():
            given_away.append(row.id)
    assert given_away == []


@pytest.mark.check
def test_the_plan_explains_every_row(real_data: Path) -> None:
    """One line each, that begins with its id and status; no step is refused by the tools as it is written."""
    plans = plan_tasks(planned_tasks(real_data / "caia" / "benchmark_178.csv"), TODAY)
    assert [plan.id for plan in plans if not plan.reason] == []
    assert {plan.id: plan.refusals for plan in plans if plan.refusals} == {}
    lines = plan_lines(plans)
    assert [line.split(" ")[0] for line in lines[:178]] == [f"caia-{number:03d}" for number in range(1, 179)]
    assert all(line.split(": ")[0].partition(" ")[2] == plan.status for line, plan in zip(lines, plans, strict=False))


@pytest.mark.check
def test_every_row_is_in_the_class_that_its_recording_will_give(real_data: Path) -> None:
    """By what free keys give and 100 dollars add, whether by rule, by pages or for a judge; and what gives none."""
    plans = plan_tasks(planned_tasks(real_data / "caia" / "benchmark_178.csv"), TODAY)
    free, paid = ({one.id for one in affordable(plans, Decimal(usd))[0]} for usd in (0, 100))
    found: dict[str, list[str]] = {}
    for plan in plans:
        price = "free" if plan.id in free else "100 USD" if plan.id in paid else "more"
        kind = f"{price}, {plan.grade}" if plan.status == "recordable" else plan.status
        found.setdefault(kind, []).append(plan.id.removeprefix("caia-").lstrip("0"))
    assert {kind: " ".join(ids) for kind, ids in sorted(found.items())} == CLASSES
    assert len(free) >= 60 or len(paid) >= 80
    guide = (Path(__file__).parents[2] / "docs" / "record-the-real-caia.md").read_text()
    for ids, usd in ((free, "nothing"), (paid, "100 US dollars")):
        counts = Counter(plan.grade for plan in plans if plan.id in ids)
        assert f"| {usd} | {counts['rule']} | {counts['pages']} | {counts['judge']} |" in guide


def test_every_step_bears_on_the_answer(gold: Mapping[str, GoldRow]) -> None:
    """A step that neither the result nor a later step uses proves nothing, and no chain has one."""
    idle = {one.id: steps for one in gold.values() if not one.why_not and (steps := idle_steps(one))}
    assert idle == {}
    assert idle_steps(replace(gold["4"], result="$1.last_up_to_it.tvl_usd")) == [2]


def idle_steps(row: GoldRow) -> list[int]:
    """Numbers of the steps that nothing refers to; steps of one Python session hand on what they print or keep."""
    used, todo = set[int](), list(references(row.result))
    while todo:
        number = todo.pop()
        if number not in used:
            used.add(number)
            step = row.steps[number - 1]
            todo += depends(step.arguments)
            if step.tool == "code_execution":
                todo += [at for at in range(1, number) if row.steps[at - 1].tool == "code_execution"]
    return [number for number in range(1, len(row.steps) + 1) if number not in used]


def test_every_step_takes_its_arguments(gold: Mapping[str, GoldRow]) -> None:
    """By the catalog's own models; and no chain has a pattern that lint would refuse."""
    assert [one.id for one in gold.values() if list(gold_pattern_faults(one.chain))] == []
    wrong = []
    for one in gold.values():
        for number, step in enumerate(one.steps, start=1):
            fields = CATALOG[step.tool].arguments.model_fields
            missing = [name for name, field in fields.items() if field.is_required() and name not in step.arguments]
            if missing or not set(step.arguments) <= set(fields):
                wrong.append((one.id, number, missing))
    assert wrong == []
