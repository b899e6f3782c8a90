"""Answers told from what is only mentioned beside them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring import role
from caia_replay.scoring.verifiers.number import NumberVerifier


@pytest.mark.parametrize(
    "text",
    [
        *("2024-03-01", "1 March 2024", "March 1st, 2024", "12:30", "2024年3月1日", "Q1 2024", "in 2024", "3/1/2024"),
        *("二〇二四年三月一日", "May 2024", "2024-03-01T12:30:00Z"),
    ],
)
def test_dates_and_times_are_moments(text: str) -> None:
    """Every habit of writing a day or a time is one span over the whole of it."""
    assert role.moments(f"On {text}, x")[0][1] >= len(f"On {text}")


@pytest.mark.parametrize("text", ["a total of 2024", "2024 transfers", "42 may", "1.5"])
def test_other_numbers_are_no_moments(text: str) -> None:
    """A number that looks like a year is one only where a year is spoken of."""
    assert role.moments(text) == []


@pytest.mark.parametrize("text", ["blocks 12 to 27", "block 12-27", "between blocks 1,200 and 1,424", "区块100至200"])
def test_block_ranges(text: str) -> None:
    """Both ends of a range of blocks are inside its span."""
    ((left, right),) = role.block_ranges(text)
    assert all(left <= at < right for at, c in enumerate(text) if c.isdigit())


@pytest.mark.parametrize(
    ("before", "part"),
    [
        ("in block ", role.BLOCK),
        ('"block": ', role.BLOCK),
        ("区块 ", role.BLOCK),
        ("log index ", role.MENTION),
        ("the top ", role.MENTION),
        ("up from ", role.MENTION),
        ("there are ", role.CLAIM),
        ("", role.CLAIM),
        ("block: the count is ", role.CLAIM),
    ],
)
def test_places(before: str, part: int) -> None:
    """The word before a number says whether it names a place."""
    assert role.place(before) == part


def test_calculations_end_in_their_result() -> None:
    """The operands of a side of "=" are mentions; a side without operator is a claim; without "=" all are claims."""
    assert role.operands([" - ", ") / ", " = "]) == {0, 1, 2}
    assert role.operands([" = ", " + "]) == {1, 2}
    assert role.operands([" + ", " and ", " = "]) == set()
    assert role.operands([" + "]) == set()
    assert role.operands([" = "]) == set()
    assert role.operands([" or "]) == set()
    assert role.operands([]) == set()


@pytest.mark.parametrize("between", [" or ", ", possibly ", " 或 ", ", or maybe "])
def test_alternatives(between: str) -> None:
    """Words of choice make both numbers answers."""
    assert role.alternatives(between)
    assert not role.alternatives(" of the ")


def test_conclusions_begin_behind_their_word() -> None:
    """What stands before "so" or "Final answer:" is a premise; "so far" concludes nothing."""
    assert role.conclusion("1 and 2, so 3") > 8
    assert role.conclusion("1\nFinal answer: 3") > 2
    assert role.conclusion("1 so far 3") == 0


def test_the_whole_the_ends_and_the_spread() -> None:
    """ "of the 100", "rose from 10 to 12" and "across 7 chains" stand beside the answer."""
    assert role.out_of(" of the ") and not role.out_of(", for a total of ")
    assert role.from_to("TVL rose from ", " to ") and not role.from_to("between ", " and ")
    assert role.span(" (from ", " to ") and not role.span("(", " to ")
    assert role.among("transfers across ") and not role.among("transfers: ")
    assert role.technical("decimals") and not role.technical("transfers")


def right(answer: str, value: str, unit: str | None = None, tolerance: str = "0") -> bool | None:
    """The verdict on an answer to a question whose answer is ``value``."""
    return NumberVerifier().verify(AnswerSpec("number", (value,), unit, tolerance), answer).correct


SPANNED = (
    *("in the first 24 hours # addresses", "over Q2 2024, # addresses", "within 7 days # addresses", "# in Q2'24"),
    *("In the second quarter of 2024: #", "# addresses (first half of 2024)", "over the 30 days to 2024-06-30, #"),
    *("during the last 3 months # addresses", "Between March 3, 2024 and April 2, 2024: #", "# in 2 weeks, # in all"),
    *("In den ersten 24 Stunden waren es # Adressen", "innerhalb von 7 Tagen # Adressen", "im 2. Quartal 2024: #"),
    *("Im zweiten Quartal 2024 waren es #", "Vom 1. März 2024 bis 3. Mai 2024: # Adressen", "Im Jahr 2024 #"),
    *("binnen 30 Minuten # Adressen", "Q2 2024: # Adressen", "in den letzten 2 Wochen # Adressen", "seit 2024: #"),
    *("En las primeras 24 horas, # direcciones", "en el segundo trimestre de 2024: #", "T2 2024: # direcciones"),
    *("Dentro de 7 días, # direcciones", "del 1 de marzo de 2024 al 3 de mayo de 2024: #", "En 2024 hubo #"),
    *("durante los últimos 3 meses, # direcciones", "en el año 2024, #", "En marzo de 2024, # direcciones"),
    *("前24小时内有#个地址", "2024年第二季度共有#个地址", "7天内#个地址", "2024年第2季度：#", "在过去30天内共#个"),
    *("最初的24小时内，#个地址", "2024年上半年#个地址", "2024年3月1日至2024年5月3日：#"),
    *("第一周内#个地址", "2024年Q2：#"),
    *("Dans les premières 24 heures, # adresses", "au deuxième trimestre 2024 : #", "le 3 mars 2024, # adresses"),
)  # fmt: skip


@pytest.mark.parametrize("form", SPANNED)
@pytest.mark.parametrize("number", ["128,456", "128 456", "128456"])
def test_spans_of_time_are_told_beside_the_answer(form: str, number: str) -> None:
    """How long, which quarter and which year are no answers, in four languages and more."""
    for unit in (None, "addresses"):
        assert right(form.replace("#", number), "128456", unit) is True
        for wrong in ("24", "7", "2024", "2", "3", "30", "128457"):
            assert right(form.replace("#", number), wrong, unit) is False


@pytest.mark.parametrize(
    ("answer", "value", "unit"),
    [
        *(("in the first 24 hours 42, in the first 48 hours 43 addresses", value, None) for value in ("42", "43")),
        *(("42 days", "42", unit) for unit in (None, "ETH", "addresses")),
        ("42 Adressen oder 43 Adressen", "42", None),
        ("in Q2 2024 42, in Q3 2024 43", "43", None),
        ("24 hours, step 42", "42", "ETH"),
        ("12 MARE or 43 MARE", "43", "MARE"),
        ("12 MAI or 43 MAI", "43", "MAI"),
        ("7天内42个地址，30天内43个地址", "42", None),
        ("2024 or 42", "42", None),
        ("24 horas o 42 horas", "42", "hours"),
    ],
)
def test_two_spans_with_a_value_each_are_two_answers(answer: str, value: str, unit: str | None) -> None:
    """A number is not put aside because a span of time stands beside it, and a time is no count."""
    assert right(answer, value, unit) is False


def test_the_days_of_dates_are_no_days() -> None:
    """Dates beside a number of days say which days it counts."""
    answer = "45天（2024年1月5日至2024年2月19日）"
    assert right(answer, "45", "days") is True and right(answer, "19", "days") is False


def test_dotted_thousands_of_counted_things() -> None:
    """128.456 Adressen are no fraction of an address; 128.456 ETH may be."""
    assert right("in den ersten 24 Stunden 128.456 Adressen", "128456") is True
    assert right("128.456 direcciones en 24 horas", "128456", "addresses") is True
    assert right("128.456 Adressen", "128.456") is False and right("128.456 ETH", "128456", "ETH") is False


SUMS = (
    *("Total released: 1,500,000 LUM (vesting A 600,000, B 500,000, C 400,000)",),
    *("A 600,000, B 500,000, C 400,000: total 1,500,000",),
    *("1,500,000 LUM (A: 600,000; B: 900,000)", "- A: 600,000 LUM\n- B: 900,000 LUM\n- Total: 1,500,000 LUM"),
    *("Total: 1,500,000 LUM\n- A: 600,000\n- B: 500,000\n- C: 400,000",),
    *("1,500,000 LUM, of which 600,000 LUM vested in total",),
    *("A total of 1,500,000 LUM, of which 600,000 to the team", "Insgesamt 1,500,000 LUM, davon 600,000 LUM im Mai"),
    *("总计1,500,000 LUM，其中团队600,000 LUM", "Total 1,500,000 LUM (including 600,000 LUM for the team)"),
    *("Team 600,000 LUM and investors 900,000 LUM, 1,500,000 LUM in total", "Total: 1,500,000 (A 600,000, B 500,000)"),
    *("En total 1,500,000 LUM: A 600,000 LUM, B 900,000 LUM", "Sum: 1,500,000 LUM (A 900,000 and B 600,000)"),
)  # fmt: skip


@pytest.mark.parametrize("answer", [text for text in SUMS if "vested in total" not in text])
def test_the_total_is_the_answer_beside_its_parts(answer: str) -> None:
    """Parts that add up, or stand in a list beside a number called the total, are none of the answer."""
    assert right(answer, "1500000", "LUM") is True
    for part in ("600000", "500000", "900000", "1500001"):
        assert right(answer, part, "LUM") is False


@pytest.mark.parametrize(
    "answer",
    [
        *("600 LUM and 1,500 LUM", "1,500 LUM (Dune 1,400)"),
        *("1,500 (A 600, B 500)", "Total: 1,500 LUM (Dune: 700, Etherscan: 600)"),
        *("Total 1,500 LUM or 900 LUM or 600 LUM", "1,500, 900, 600"),
        *("1,500\n900\n600", "Total: 1,500 (900 according to Dune)"),
        *("Total: 1,500 (A 600, B 1,600)", "Total: 1,500; net 900, gross 500 LUM"),
        *("Total: 1,500 LUM. Total: 1,600 LUM",),
        *("Total 1,500 LUM, but 900 LUM and 500 LUM excluding the team", "Total 1,500 (1,400 unique, 90 more)"),
        *("1,500 / 900 / 600",),
        *("Total: 1,500 LUM and 600 LUM", "total 1,500 LUM (600)", "1,500 LUM total, 1,600 LUM total"),
    ],
)  # fmt: skip
def test_unrelated_numbers_stay_a_hedge(answer: str) -> None:
    """Numbers that do not add up, or that may be set against the total, are answers of their own."""
    assert right(answer, "1500", "LUM") is False


LABELS = (
    "第{}",
    "第{}名",
    "{}号",
    "page {}",
    "on page {}",
    "#{}",
    "No. {}",
    "rank {}",
    "ranked {}",
    "step {}",
    "the top {}",
)


@pytest.mark.parametrize("form", [*LABELS, "{}nd", "{}-nd", "Transaction #{}", "Proposal #{}", "Nr. {}", "Number {}"])
def test_one_of_many_is_no_count(form: str) -> None:
    """A label answers only a task whose unit says that it asks for one of many."""
    answer = form.format(42)
    assert NumberVerifier().verify(AnswerSpec("number", ("42",)), answer).correct is False
    if form != "{}-nd":
        assert NumberVerifier().verify(AnswerSpec("number", ("42",), "rank"), answer).correct is True


@pytest.mark.parametrize("form", ["#{}", "block {}", "Block #{}", "第{}区块", "区块号{}"])
def test_heights_are_written_like_labels(form: str) -> None:
    """A block is asked for without a unit, and its height is no count."""
    assert NumberVerifier().verify(AnswerSpec("number", ("18900123",)), form.format(18900123)).correct is True


@pytest.mark.parametrize("form", ["Note: {}", "Rank by count: {}", "Step 3: {}", "# of transfers: {}", "the number {}"])
def test_headings_are_no_labels(form: str) -> None:
    """What a colon ends is a heading."""
    assert NumberVerifier().verify(AnswerSpec("number", ("42",)), form.format(42)).correct is True


def test_a_move_has_a_word_for_it() -> None:
    """Rose from, or a Chinese verb between, and not a bare range."""
    assert role.moved("rose from ", " to ") and role.moved("从", "增加到") and role.moved("由", "降至")
    assert not role.moved("from ", " to ") and not role.moved("从", "到") and not role.moved("", " to ")
    assert role.label("page ", "", Fraction(7)) and not role.label("page: ", "", Fraction(7))
