"""Composed questions without a world: plans, wordings, agreement of two witnesses, and the no-world guesser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import resolve
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.scoring.verifiers import verify
from caia_worldgen.finished import agree
from caia_worldgen.questions.catalogue import makers
from caia_worldgen.questions.draw import counts_for
from caia_worldgen.questions.expression import Days, Plan, column, number, plain, table, text
from caia_worldgen.questions.figure import is_guessed
from caia_worldgen.questions.limit import COUNTS, has_address, pointers
from caia_worldgen.questions.wording import REGISTERS, alike, forms, masked, phrases, said

TASK = Task("a", "?", "overlap", "en", "f", Anchor("c", 1, 1), number(7), Plan().chain("1"), "1", "x.")


@given(st.text(alphabet="ab'\"{}", max_size=40), st.integers(0, 10**20))
def test_a_template_keeps_every_quote(around: str, value: int) -> None:
    """Whatever quotes stand around a slot, the argument is the template with the value in the slot's place."""
    assert resolve(text(f"{around}<slot>{around}", slot="$1.value"), [{"value": value}]) == f"{around}{value}{around}"


def test_equal_calls_are_made_once() -> None:
    """A plan that needs a call twice makes it once, and both references are to it."""
    plan = Plan()
    first, other = plan.call("price_feed", asset="x", at=None), plan.call("price_feed", asset="y")
    assert (first, other, plan.call("price_feed", asset="x")) == ("$1", "$2", "$1")
    assert [step.arguments for step in plan.steps] == [{"asset": "x"}, {"asset": "y"}]


@pytest.mark.parametrize(
    ("base", "said_so"), [("1714003200", "2024-04-27"), ("$1.at", "2024-04-27")], ids=["told", "found"]
)
def test_days_count_from_a_date_or_a_moment(base: str, said_so: str) -> None:
    """The second day after 25 April is the 27th, whether the 25th was told or found by a call."""
    days = Days(base, 3)
    assert resolve(days.day(2), [{"at": 1_714_003_200}]) == said_so == resolve(days.last, [{"at": 1_714_003_200}])
    assert resolve(days.begin(2), [{"at": 1_714_003_200}]) == f"{said_so}T00:00:00Z"


def test_a_table_reads_as_its_own_answer() -> None:
    """What a gold chain prints for a table is right by the table's own verifier, and agrees with the truth."""
    answer = table([("2024-05-01", 12), ("2024-05-02", 30)], column("day", "date"), column("fees", unit="USD"))
    told = "2024-05-02 | 30\n2024-05-01 | 12.000001\n"
    assert verify(answer, told).correct is True and agree(answer, told)


_DIFFERENT = {
    "short": "2024-05-01 | 12",
    "figure": "2024-05-01 | 12.1\n2024-05-02 | 30",
    "day": "2024-05-01 | 12\n2024-05-03 | 30",
    "cells": "2024-05-01\n2024-05-02",
}


@pytest.mark.parametrize("told", _DIFFERENT.values(), ids=_DIFFERENT)
def test_witnesses_that_differ_are_told_apart(told: str) -> None:
    """A row, a figure, a day or a cell that differs is a disagreement."""
    answer = table([("2024-05-01", 12), ("2024-05-02", 30)], column("day", "date"), column("fees"))
    assert not agree(answer, told)


@given(st.fractions(min_value=1, max_value=10**12))
def test_numbers_agree_to_a_millionth(value: object) -> None:
    """A number agrees with itself as it is written, and not with one a ten-thousandth larger."""
    answer = number(value)  # type: ignore[arg-type]
    assert agree(answer, plain(value)) and not agree(answer, plain(value * 10_001 / 10_000))  # type: ignore[arg-type,operator]


def test_every_form_is_worded_in_all_registers() -> None:
    """Each form has words for colleagues, research and forums, and in Chinese, with one set of slots."""
    for form in forms():
        assert {register for register, _ in phrases(form, "en")} == set(REGISTERS)
        assert all(re.search("[一-鿿]", one) for _, one in phrases(form, "zh"))
        assert not any(re.search("[一-鿿]", one) for _, one in phrases(form, "en"))


def test_every_kind_of_task_has_makers() -> None:
    """Whatever CAIA counts, something makes it; no two makers have one name; CAIA's counts are kept."""
    every = list(makers())
    assert {one.kind for one in every} == set(COUNTS) and len({one.name for one in every}) == len(every)
    assert sum(COUNTS.values()) == 178


@pytest.mark.parametrize(
    ("template", "language", "sentence"),
    [("{who}'s fees {when}?", "en", "The bridge's fees in May?"), ("{when}{who}的费用？", "zh", "5月份 XKHG 的费用？")],
    ids=["en", "zh"],
)  # fmt: skip
def test_a_template_becomes_a_sentence(template: str, language: str, sentence: str) -> None:
    """English begins with a capital letter; Chinese has one blank beside Latin letters and none elsewhere."""
    slots = {"en": {"who": "the bridge", "when": "in May"}, "zh": {"who": " XKHG ", "when": "5月份"}}[language]
    assert said(template, slots, language) == sentence  # type: ignore[arg-type]


def test_masks_hide_names_and_figures_alone() -> None:
    """Two questions that differ in names, tickers, months and figures are alike; another verb is another question."""
    names = frozenset(("Meyocuxo", "Wuvuxol"))
    one, other, third = (masked(words, names) for words in (
        "What did Meyocuxo hold in MYCX on 3 May?", "What did Wuvuxol hold in WVXL on 14 June?",
        "How much of it did Wuvuxol sell for DCJH in June?"))  # fmt: skip
    assert alike(one, other) == 1 and alike(one, third) < 0.3


def test_pointers_are_seen() -> None:
    """Addresses, hosts, handles and blocks point at something; names and dates do not."""
    assert has_address(f"What does 0x{'ab' * 20} hold?") and not has_address("What does 0xabcd hold?")
    assert all(pointers(one) for one in (f"0x{'ab' * 20}", "see docs.x-lend.example", "block 1204", "ask @meyo"))
    assert not pointers("How many NNMR were staked in Nonamor's pool at the close on 13 April?")


def test_who_guesses_is_counted() -> None:
    """Somebody without the world is right where an answer is usual, or is that of the others of its form."""
    yes = replace(TASK, answer=AnswerSpec("boolean", ("yes",)))
    others = [replace(TASK, id=str(at), answer=number(31)) for at in range(3)]
    assert is_guessed(yes, [yes]) and not is_guessed(TASK, [TASK])
    assert is_guessed(others[0], others) and not is_guessed(replace(TASK, answer=number(32)), others)


@given(st.integers(0, 400))
def test_a_smaller_suite_has_caias_proportions(tasks: int) -> None:
    """178 tasks are the table itself; of any other number no kind is a whole task away from its part."""
    assert counts_for(178) == dict(COUNTS)
    found = counts_for(tasks)
    assert sum(found.values()) == tasks and found.keys() == COUNTS.keys()
    assert all(abs(found[kind] * 178 - tasks * part) < 178 for kind, part in COUNTS.items())
