"""Our gold rows beside the real questions, read in place: every one explained, and none of CAIA's words among them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from caia_replay.interop.caia_format import CaiaRow, read_rows
from caia_replay.interop.gold_row import GOLD, GoldRow, gold_of, read_gold
from caia_replay.interop.planned import planned_tasks
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import plan_lines
from caia_replay.tools.catalog import CATALOG
from caia_replay.validation.conditions import gold_pattern_faults

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
    assert kinds == {"chain": 96, "needs judgement": 41, "no provider": 36, "answer disputed": 5}
    guide = (Path(__file__).parents[2] / "docs" / "record-the-real-caia.md").read_text()
    assert all(f"| {count} |" in guide for count in kinds.values())
    assert (gold["1"].steps, gold["1"].result) == (gold["30"].steps, gold["30"].result)  # one question twice
    assert gold["29"].why_not == "answer disputed"


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
    plans = plan_tasks(planned_tasks(real_data / "caia" / "benchmark_178.csv"))
    assert Counter(plan.status for plan in plans) == {"recordable": 127, "needs provider": 36, "unanchored": 15}
    assert [plan.id for plan in plans if not plan.reason] == []
    assert {plan.id: plan.refusals for plan in plans if plan.refusals} == {}
    lines = plan_lines(plans)
    assert [line.split(" ")[0] for line in lines[:178]] == [f"caia-{number:03d}" for number in range(1, 179)]
    assert all(line.split(": ")[0].partition(" ")[2] == plan.status for line, plan in zip(lines, plans, strict=False))


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
