"""Answers told from what is only mentioned beside them: places, spans, wholes, parts, labels."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring import role
from caia_replay.scoring.figure import figures
from caia_replay.scoring.part import LIST, RANGE, around, joint, parts_of
from caia_replay.scoring.unit import parse_unit
from caia_replay.scoring.verifiers.number import NumberVerifier
from tests.labelled_set import misjudged

COUNT = AnswerSpec("number", ("42",))


def spec(value: str | int, unit: str | None = None) -> AnswerSpec:
    """A task whose answer is that number."""
    return AnswerSpec("number", (str(value),), unit)


def test_dates_and_times_are_moments() -> None:
    """Every habit of writing a day or a time is one span over the whole of it; other numbers are none."""
    for text in (
        "2024-03-01", "1 March 2024", "March 1st, 2024", "12:30", "2024年3月1日", "Q1 2024", "in 2024", "3/1/2024",
        "二〇二四年三月一日", "May 2024", "2024-03-01T12:30:00Z",
    ):  # fmt: skip
        assert role.moments(f"On {text}, x")[0][1] >= len(f"On {text}"), text
    assert [text for text in ("a total of 2024", "2024 transfers", "42 may", "1.5") if role.moments(text)] == []


@pytest.mark.parametrize("text", ["blocks 12 to 27", "block 12-27", "between blocks 1,200 and 1,424", "区块100至200"])
def test_block_ranges(text: str) -> None:
    """Both ends of a range of blocks are inside its span."""
    ((left, right),) = role.block_ranges(text)
    assert all(left <= at < right for at, c in enumerate(text) if c.isdigit())


@pytest.mark.parametrize(("before", "part"), [
    ("in block ", role.BLOCK), ('"block": ', role.BLOCK), ("区块 ", role.BLOCK), ("log index ", role.MENTION),
    ("the top ", role.MENTION), ("up from ", role.MENTION), ("there are ", role.CLAIM), ("", role.CLAIM),
    ("block: the count is ", role.CLAIM),
])  # fmt: skip
def test_places(before: str, part: int) -> None:
    """The word before a number says whether it names a place."""
    assert role.place(before) == part


@pytest.mark.parametrize(("between", "mentions"), [
    ([" - ", ") / ", " = "], {0, 1, 2}), ([" = ", " + "], {1, 2}), ([" + ", " and ", " = "], set()), ([" + "], set()),
    ([" = "], set()), ([" or "], set()), ([], set()),
])  # fmt: skip
def test_calculations_end_in_their_result(between: list[str], mentions: set[int]) -> None:
    """The operands of a side of "=" are mentions; a side without operator is a claim; without "=" all are claims."""
    assert role.operands(between) == mentions


def test_words_beside_numbers_say_what_they_are() -> None:
    """Choices, conclusions, wholes, ends, spreads, moves and labels, each beside its nearest other."""
    assert all(map(role.alternatives, (" or ", ", possibly ", " 或 ", ", or maybe ")))
    assert not role.alternatives(" of the ")
    assert role.conclusion("1 and 2, so 3") > 8 and role.conclusion("1\nFinal answer: 3") > 2
    assert role.conclusion("1 so far 3") == 0
    assert role.out_of(" of the ") and not role.out_of(", for a total of ")
    assert role.from_to("TVL rose from ", " to ") and not role.from_to("between ", " and ")
    assert role.span(" (from ", " to ") and not role.span("(", " to ")
    assert role.among("transfers across ") and not role.among("transfers: ")
    assert role.technical("decimals") and not role.technical("transfers")
    assert role.moved("rose from ", " to ") and role.moved("从", "增加到") and role.moved("由", "降至")
    assert not role.moved("from ", " to ") and not role.moved("从", "到") and not role.moved("", " to ")
    assert role.label("page ", "", Fraction(7)) and not role.label("page: ", "", Fraction(7))


SPANNED = (
    "in the first 24 hours # addresses", "over Q2 2024, # addresses", "within 7 days # addresses", "# in Q2'24",
    "In the second quarter of 2024: #", "over the 30 days to 2024-06-30, #", "during the last 3 months # addresses",
    "Between March 3, 2024 and April 2, 2024: #", "# in 2 weeks, # in all",
    "In den ersten 24 Stunden waren es # Adressen", "innerhalb von 7 Tagen # Adressen", "im 2. Quartal 2024: #",
    "Im zweiten Quartal 2024 waren es #", "Vom 1. März 2024 bis 3. Mai 2024: # Adressen", "Im Jahr 2024 #",
    "binnen 30 Minuten # Adressen", "Q2 2024: # Adressen", "in den letzten 2 Wochen # Adressen", "seit 2024: #",
    "En las primeras 24 horas, # direcciones", "en el segundo trimestre de 2024: #", "T2 2024: # direcciones",
    "Dentro de 7 días, # direcciones", "del 1 de marzo de 2024 al 3 de mayo de 2024: #", "En 2024 hubo #",
    "durante los últimos 3 meses, # direcciones", "en el año 2024, #", "En marzo de 2024, # direcciones",
    "前24小时内有#个地址", "2024年第二季度共有#个地址", "7天内#个地址", "2024年第2季度：#", "在过去30天内共#个",
    "最初的24小时内，#个地址", "2024年上半年#个地址", "2024年3月1日至2024年5月3日：#", "第一周内#个地址", "2024年Q2：#",
    "Dans les premières 24 heures, # adresses", "au deuxième trimestre 2024 : #", "le 3 mars 2024, # adresses",
)  # fmt: skip


@pytest.mark.parametrize("number", ["128,456", pytest.param("128 456", marks=pytest.mark.check), "128456"])
def test_spans_of_time_are_told_beside_the_answer(number: str) -> None:
    """How long, which quarter and which year are no answers, in four languages and more."""
    answers = [form.replace("#", number) for form in SPANNED]
    for unit in (None, "addresses"):
        assert misjudged(spec(128456, unit), True, answers) == []
        for wrong in (24, 7, 2024, 2, 3, 30, 128457):
            assert misjudged(spec(wrong, unit), False, answers) == []
    half = f"{number} addresses (first half of 2024)"
    assert NumberVerifier().verify(spec(128456), half).correct is True


@pytest.mark.parametrize(("answer", "value", "unit", "right"), [
    ("in the first 24 hours 42, in the first 48 hours 43 addresses", "42", None, False),
    ("in the first 24 hours 42, in the first 48 hours 43 addresses", "43", None, False), ("42 days", "42", None, False),
    ("42 days", "42", "ETH", False), ("42 days", "42", "addresses", False),
    ("42 Adressen oder 43 Adressen", "42", None, False), ("in Q2 2024 42, in Q3 2024 43", "43", None, False),
    ("24 hours, step 42", "42", "ETH", False), ("12 MARE or 43 MARE", "43", "MARE", False),
    ("12 MAI or 43 MAI", "43", "MAI", False), ("7天内42个地址，30天内43个地址", "42", None, False),
    ("2024 or 42", "42", None, False), ("24 horas o 42 horas", "42", "hours", False),
    ("45天（2024年1月5日至2024年2月19日）", "45", "days", True),
    ("45天（2024年1月5日至2024年2月19日）", "19", "days", False),
    ("in den ersten 24 Stunden 128.456 Adressen", "128456", None, True),
    ("128.456 direcciones en 24 horas", "128456", "addresses", True),
    ("128.456 Adressen", "128.456", None, False), ("128.456 ETH", "128456", "ETH", False),
])  # fmt: skip
def test_spans_with_values_of_their_own(answer: str, value: str, unit: str | None, right: bool) -> None:
    """A number is not put aside because a span stands beside it; 128.456 Adressen are no fraction of an address."""
    assert misjudged(spec(value, unit), right, [answer]) == []


SUMS = (
    "Total released: 1,500,000 LUM (vesting A 600,000, B 500,000, C 400,000)",
    "A 600,000, B 500,000, C 400,000: total 1,500,000", "1,500,000 LUM (A: 600,000; B: 900,000)",
    "- A: 600,000 LUM\n- B: 900,000 LUM\n- Total: 1,500,000 LUM",
    "Total: 1,500,000 LUM\n- A: 600,000\n- B: 500,000\n- C: 400,000",
    "A total of 1,500,000 LUM, of which 600,000 to the team", "Insgesamt 1,500,000 LUM, davon 600,000 LUM im Mai",
    "总计1,500,000 LUM，其中团队600,000 LUM", "Total 1,500,000 LUM (including 600,000 LUM for the team)",
    "Team 600,000 LUM and investors 900,000 LUM, 1,500,000 LUM in total", "Total: 1,500,000 (A 600,000, B 500,000)",
    "En total 1,500,000 LUM: A 600,000 LUM, B 900,000 LUM", "Sum: 1,500,000 LUM (A 900,000 and B 600,000)",
)  # fmt: skip


def test_the_total_is_the_answer_beside_its_parts() -> None:
    """Parts that add up, or stand in a list beside a number called the total, are none of the answer."""
    assert misjudged(spec(1500000, "LUM"), True, SUMS) == []
    for part in (600000, 500000, 900000, 1500001):
        assert misjudged(spec(part, "LUM"), False, SUMS) == []


def test_unrelated_numbers_stay_a_hedge() -> None:
    """Numbers that do not add up, or that may be set against the total, are answers of their own."""
    assert misjudged(spec(1500, "LUM"), False, (
        "600 LUM and 1,500 LUM", "1,500 LUM (Dune 1,400)", "1,500 (A 600, B 500)",
        "Total: 1,500 LUM (Dune: 700, Etherscan: 600)", "Total 1,500 LUM or 900 LUM or 600 LUM", "1,500, 900, 600",
        "1,500\n900\n600", "Total: 1,500 (900 according to Dune)", "Total: 1,500 (A 600, B 1,600)",
        "Total: 1,500; net 900, gross 500 LUM", "Total: 1,500 LUM. Total: 1,600 LUM",
        "Total 1,500 LUM, but 900 LUM and 500 LUM excluding the team", "Total 1,500 (1,400 unique, 90 more)",
        "1,500 / 900 / 600", "Total: 1,500 LUM and 600 LUM", "total 1,500 LUM (600)",
        "1,500 LUM total, 1,600 LUM total",
    )) == []  # fmt: skip


LABELS = (
    "第{}", "第{}名", "{}号", "page {}", "on page {}", "#{}", "No. {}", "rank {}", "ranked {}", "step {}", "the top {}",
    "{}nd", "{}-nd", "Transaction #{}", "Proposal #{}", "Nr. {}", "Number {}",
)  # fmt: skip


def test_one_of_many_is_no_count() -> None:
    """A label answers only a task whose unit says that it asks for one of many; what a colon ends is a heading."""
    assert misjudged(COUNT, False, (form.format(42) for form in LABELS)) == []
    assert misjudged(spec(42, "rank"), True, (form.format(42) for form in LABELS if form != "{}-nd")) == []
    headings = ("Note: {}", "Rank by count: {}", "Step 3: {}", "# of transfers: {}", "the number {}")
    assert misjudged(COUNT, True, (form.format(42) for form in headings)) == []
    heights = ("#{}", "block {}", "Block #{}", "第{}区块", "区块号{}")
    assert misjudged(spec(18900123), True, (form.format(18900123) for form in heights)) == []


def claimed(text: str, unit: str = "") -> list[int]:
    """The values that stand nearest to an answer, where ``unit`` is asked for."""
    expected = parse_unit(unit)[0]
    found = list(figures(text, expected))
    parts = parts_of(text, found, expected)
    return [int(one.value) for one, part in zip(found, parts) if part == min(parts)]


def test_the_whole_is_no_answer_beside_its_part() -> None:
    """Brackets around the whole change nothing; by how much it rose is nearer than where it ended."""
    for text in (
        "45 out of 60", "45 (out of 60)", "45 of 60", "45 (of 60)", "45 out of a total of 60", "45个(共60个)",
    ):  # fmt: skip
        assert claimed(text) == [45], text
    assert claimed("rose from 30 to 42, by 12") == [12]


@pytest.mark.parametrize("text", [
    "rose from {} to {}", "It went from {} to {}", "fell from {} to {}", "从{}增加到{}", "从{}个降至{}个", "由{}增至{}",
])  # fmt: skip
def test_where_a_change_ended_is_nearer_than_where_it_began(text: str) -> None:
    """In either direction; a share is left between both, since a change of it may be meant."""
    assert claimed(text.format(10, 42)) == [42] and claimed(text.format(50, 42)) == [42]
    assert claimed(text.replace("{}", "{}%").format(10, 42), "%") == [10, 42]


@pytest.mark.parametrize("text", ["from {} to {}", "从{}到{}", "{} -> {}", "{} to {}", "between {} and {}"])
def test_a_range_claims_both_ends(text: str) -> None:
    """Without a word of change nothing went from the one end to the other."""
    assert claimed(text.format(10, 42)) == [10, 42]


def test_what_stands_around_a_number_ends_at_its_neighbours() -> None:
    """Words are said of the number beside them; one number, and none, need no weighing."""
    text = "about 3 or 4 transfers"
    found = list(figures(text))
    assert around(text, found, 0) == ("about ", " or ") and joint(text, found, 0) == " or "
    assert RANGE.fullmatch(" or ") and LIST.fullmatch(", ") and not RANGE.fullmatch(", ")
    assert parts_of("page 42", list(figures("page 42")), None) == [role.CLAIM] and parts_of("", [], None) == []


def test_a_level_answers_no_change() -> None:
    """Where a change is asked for, what something rose to is no answer."""
    rose = ["rose from 10 to 42 ETH"]
    assert misjudged(spec(42, "ETH"), True, rose) == []
    assert misjudged(AnswerSpec("number", ("42",), "ETH", direction="up"), False, rose) == []
    assert misjudged(spec(42, "%"), False, ["fell from 100% to 42%"]) == []
